/** Standard input of a run as a shell hands it over: a file or a pipe is read to its end, aloud when that takes; what means nothing is left alone. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, test } from "node:test";
import type { JsonObject } from "@yoi/base";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { startYoi, yoiCommand } from "../support/yoi-process.ts";
import { plant, withoutSandboxLine, yoi } from "./machine.ts";
import { entriesOf, pod, say, scenario, scripted } from "./scenario.ts";
import { join } from "node:path";

async function inputsOf(home: TempHome): Promise<readonly string[]> {
  const log = await yoi(home, ["pod", "log", pod, "--json"]);
  return entriesOf(log.stdout)
    .filter(({ kind }) => kind === "user_input")
    .map(({ parts }) => (parts as readonly JsonObject[]).map(({ text }) => text).join("|"));
}

/** `line` is bash; `$yoi` is the command with the flags of the Pod. */
async function shell(home: TempHome, line: string): Promise<readonly [number | null, string, string]> {
  const yoiLine = `yoi() { "$YOI_COMMAND" run ${scripted.join(" ")} "$@"; }; ${line}`;
  const child = spawn("bash", ["-c", yoiLine], {
    cwd: home.workspace,
    env: { ...home.env, YOI_COMMAND: yoiCommand },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => (said[name] += text));
  const [code] = (await once(child, "close")) as [number | null];
  return [code, said.stdout, withoutSandboxLine(said.stderr)];
}

const done = [0, "Done.\n", ""] as const;

/** Side by side: much of their time is waiting. */
describe("standard input", { concurrency: 2 }, () => {
  test("what is piped stands behind the prompt, from a pipe, a file and a here-document", async () => {
    using home = tempHome();
    scenario(home, say("Done."), say("Done."), say("Done."), say("Done."));
    plant(join(home.workspace, "diff"), "+ a line\n");
    assert.deepEqual(await shell(home, 'cat diff | yoi "review this"'), done);
    assert.deepEqual(await shell(home, 'yoi "review this" < diff'), done);
    assert.deepEqual(await shell(home, 'yoi "review this" <<< "+ a line"'), done);
    assert.deepEqual(await inputsOf(home), Array(3).fill("review this\n\n+ a line\n"));
  });

  test("nothing comes from /dev/null, a closed descriptor, an empty pipe, or a socket that stays open", async () => {
    using home = tempHome();
    scenario(home, ...Array(5).fill(say("Done.")));
    for (const line of ["yoi go </dev/null", "yoi go <&-", "true | yoi go"])
      assert.deepEqual(await shell(home, line), done, line);
    // Node hands its children a socket.
    const child = spawn(yoiCommand, ["run", "go", ...scripted], {
      cwd: home.workspace,
      env: { ...home.env },
      stdio: ["pipe", "ignore", "ignore"],
    });
    const [code] = (await once(child, "exit")) as [number | null];
    assert.equal(code, 0);
    child.stdin.destroy();
    assert.deepEqual(await inputsOf(home), Array(4).fill("go"));
  });

  for (const [what, flags, says] of [
    ["with a prompt", '"go"', "what to put behind the prompt"],
    ["without one, for a named Pod", "", "the prompt"],
  ] as const) {
    test(`an idle pipe is waited for aloud ${what}, and goes on when it ends`, async () => {
      using home = tempHome();
      scenario(home, say("Done."));
      const writer = `{ until grep -q Waiting said; do sleep 0.05; done; echo late; }`;
      const [code, stdout] = await shell(
        home,
        `: > said; ${writer} | yoi ${flags} 2> said; code=$?; cat said; exit $code`,
      );
      assert.equal(code, 0, stdout);
      const expected = `Waiting for ${says} on standard input: if nothing comes, start yoi again with </dev/null.\nDone.\n`;
      assert.deepEqual(withoutSandboxLine(stdout).split("\n").toSorted(), expected.split("\n").toSorted());
      assert.deepEqual(await inputsOf(home), [flags === "" ? "late\n" : "go\n\nlate\n"]);
    });
  }

  test("control: a pipe that ends at once is not waited for aloud", async () => {
    using home = tempHome();
    scenario(home, say("Done."));
    const running = startYoi(["run", ...scripted], { cwd: home.workspace, env: home.env, input: "go" });
    const { code, stderr } = await running.ended;
    assert.deepEqual([code, withoutSandboxLine(stderr)], [0, ""]);
  });
});
