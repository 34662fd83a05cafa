/** Files over a rewind: none is touched before history is at the place, and what became of them is on record behind that. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tool } from "@yoi/base";
import { failNth, noFaults } from "../../../host/src/index.ts";
import type { FilesBack } from "../../../tools/src/index.ts";
import type { CommandShell } from "../../src/turn/user-commands.ts";
import { Scene } from "./scene.ts";

const digest = "d".repeat(64);
const path = "/w/a";
const writeTool: Tool = {
  definition: { name: "Write", description: "Writes.", input_schema: { type: "object" } },
  readOnly: false,
  execute: async () => ({ summary: "wrote", record: { touched: [{ path, before: null, after: digest }] } }),
};
const scenario = JSON.stringify({
  steps: [{ tool_calls: [{ name: "Write", arguments: { file_path: path } }] }, { text: "Written." }],
});

/** A Pod that wrote one file, whose files are put back by one that notes it. */
async function written(putBack: FilesBack["putBack"]) {
  const scene = new Scene({ scenario, tools: [writeTool], filesBack: { putBack } });
  const pod = await scene.open();
  await scene.say(pod, "write");
  const input = (await scene.log()).find(({ kind }) => kind === "user_input");
  return { scene, pod, place: { id: String(input?.seq), side: "before", files: true } as const };
}

async function notes(scene: Scene): Promise<readonly string[]> {
  return (await scene.state()).items.flatMap(({ item }) =>
    item.type === "system_item" && item.kind === "lineage" ? [item.body] : [],
  );
}

const removed: Awaited<ReturnType<FilesBack["putBack"]>> = {
  reports: [{ path, outcome: "removed" }],
  touched: [{ path, before: digest, after: null }],
};

test("history is at the place before the first file changes, and the model is told of the files behind that", async () => {
  const at: number[] = [];
  const { scene, pod, place } = await written(async () => {
    at.push((await scene.state()).generation);
    return removed;
  });
  const { files, touched } = await scene.driven(pod.rewind(place));
  assert.deepEqual([at, files, touched], [[1], [{ path, outcome: "removed" }], []]);
  const [moved, back] = await notes(scene);
  assert.match(
    moved ?? "",
    /Files that were changed since: \/w\/a; what was put back of them is said next\./,
  );
  assert.equal(back, "These files are as they were at this point: /w/a.");
  // Now nothing is left to be put back there.
  await assert.rejects(scene.driven(pod.rewind({ ...place, files: false })), { code: "rewind_refused" });
  await scene.driven(pod.close());
});

test("a rewind that cannot be written leaves files alone", async () => {
  let asked = 0;
  const { scene, pod, place } = await written(async () => {
    asked += 1;
    return removed;
  });
  scene.host.disk.plan = failNth("sync", 1, "EIO", { lasting: true });
  await assert.rejects(scene.driven(pod.rewind(place)));
  assert.equal(asked, 0);
  scene.host.disk.plan = noFaults;
  await scene.driven(pod.close());
});

test("whoever dies in between does the same again: the place is taken though the session is at it", async () => {
  let fails = true;
  const { scene, pod, place } = await written(async () => {
    if (fails) throw new Error("killed here");
    return removed;
  });
  await assert.rejects(scene.driven(pod.rewind(place)), {
    code: "io_failed",
    message: /is at the place that was chosen now.*do the same again/,
  });
  assert.deepEqual([(await scene.state()).generation, (await notes(scene)).length], [1, 1]);
  fails = false;
  const again = await scene.driven(pod.rewind(place));
  assert.deepEqual([again.generation, again.files], [2, [{ path, outcome: "removed" }]]);
  assert.equal((await notes(scene)).length, 2);
  await scene.driven(pod.close());
});

test("what the user ran behind the place counts; where its files go back, what it came to is not told as news", async () => {
  for (const files of [true, false]) {
    const shell: CommandShell = {
      missing: null,
      run: async (command) => {
        if (command === "no") throw new Error("It cannot be.");
        const record = { touched: [{ path, before: digest, after: "e".repeat(64) }] };
        return { end: "exited", exit: 0, how: "exit code 0", text: "", record };
      },
    };
    const scene = new Scene({
      scenario,
      tools: [writeTool],
      shell,
      filesBack: { putBack: async () => removed },
    });
    const pod = await scene.open();
    await scene.say(pod, "write");
    for (const command of ["yes", "no"]) await scene.driven(pod.runCommand(command, command));
    await scene.driven(Promise.resolve());
    assert.equal((await scene.state()).inbox.length, 2);
    const { targets } = await scene.driven(pod.rewindTargets({ limit: 10 }));
    const input = targets.at(-1);
    assert.deepEqual([input?.kind, input?.effects], ["input", 2]);
    const place = { id: input?.id ?? "", side: "before", files } as const;
    const rewound = await scene.driven(pod.rewind(place));
    assert.deepEqual([rewound.effects, rewound.again], [2, 0]);
    assert.equal((await scene.state()).inbox.length, files ? 0 : 2);
    await scene.driven(pod.close());
  }
});
