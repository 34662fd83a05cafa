/** Limits of doctor, at each and one beyond it; and what cannot be read at all. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { artifactBytesMax } from "../../src/doctor/check-folder.ts";
import { checkRelations, namedMax } from "../../src/doctor/check-relations.ts";
import { problemsMax, runDoctor } from "../../src/doctor/run-doctor.ts";
import { listedDepthMax, listedPathsMax, surveyFolder } from "../../src/doctor/survey.ts";
import { createTicketStore, itemBytesMax } from "../../src/index.ts";
import { encodeTicketId } from "../../src/ticket-id.ts";
import { b, sound } from "./sound.ts";
import { item, plant, type Tree } from "./tree.ts";

async function checks(change: Tree): Promise<string[]> {
  const { desk } = await plant({ ...sound, ...change });
  const { problems } = await runDoctor(desk, { fix: false });
  return problems.map(({ check, path }) => `${check} ${path}`);
}

/** An item.md of so many bytes. */
function itemOf(bytes: number): string {
  return item({}, "x".repeat(bytes - item({}, "").length));
}

/** A file below `artifacts/` in so many folders. */
function deep(folders: number): Tree {
  return { [`${b}/artifacts/${"x/".repeat(folders)}y`]: "y" };
}

const rows: readonly {
  readonly name: string;
  readonly at: Tree;
  readonly beyond: Tree;
  readonly found: string;
}[] = [
  {
    name: "artifactBytesMax",
    at: { [`${b}/artifacts/x`]: new Uint8Array(artifactBytesMax) },
    beyond: { [`${b}/artifacts/x`]: new Uint8Array(artifactBytesMax + 1) },
    found: `artifact_large ${b}/artifacts/x`,
  },
  {
    name: "itemBytesMax",
    at: { [`${b}/item.md`]: itemOf(itemBytesMax) },
    beyond: { [`${b}/item.md`]: itemOf(itemBytesMax + 1) },
    found: `too_large ${b}/item.md`,
  },
  {
    name: "listedDepthMax",
    // Its folders are what counts, and `artifacts` is one.
    at: deep(listedDepthMax - 2),
    beyond: deep(listedDepthMax - 1),
    found: `folder_large ${b}`,
  },
];

describe("limits of doctor", () => {
  for (const { name, at, beyond, found } of rows)
    test(name, async () => {
      assert.deepEqual(await checks(at), []);
      assert.deepEqual(await checks(beyond), [found]);
    });

  test("listedPathsMax", async () => {
    for (const more of [0, 1]) {
      const names = Array.from({ length: listedPathsMax + more }, (_, index) => String(index));
      const files = {
        list: async () => names,
        stat: async () => ({ kind: "file" as const, bytes: 1, executable: false, modifiedMs: 0, inode: 1 }),
        read: async () => null,
      };
      const { paths, cut } = await surveyFolder({ files, kindAt: async () => "file" }, "/x");
      assert.deepEqual([paths.length, cut], [listedPathsMax, more === 1]);
    }
  });

  test("namedMax: of those that wait for each other", () => {
    for (const count of [namedMax, namedMax + 1]) {
      const ids = Array.from({ length: count }, (_, at) => encodeTicketId(at));
      const tickets = ids.map((id, at) => {
        const target = ids[(at + 1) % count] ?? "";
        return { id, state: "ready" as const, relations: [{ relation: "blocks" as const, target }] };
      });
      const [problem, ...more] = checkRelations(tickets);
      const named = [...ids.slice(0, namedMax), ...(count > namedMax ? ["..."] : []), ids[0]];
      assert.deepEqual(
        [problem?.message, more],
        [
          `Each of these waits for the one before it, so none can ever be first: ${named.join(", ")}. Unlink one of them.`,
          [],
        ],
      );
    }
  });

  test("problemsMax", async () => {
    const folders = Array.from({ length: problemsMax + 1 }, (_, index) => [`x${index}/`, ""] as const);
    for (const count of [problemsMax, problemsMax + 1]) {
      const { desk } = await plant({ ...sound, ...Object.fromEntries(folders.slice(0, count)) });
      const { problems, more } = await createTicketStore(desk).doctor({ fix: false });
      assert.deepEqual([problems.length, more], [problemsMax, count - problemsMax]);
    }
  });
});

test("what cannot be read is said, and the rest is checked", async () => {
  const { desk, host } = await plant({ ...sound, "notes.md": "x" });
  host.disk.plan = ({ kind, path }) => (kind === "read" && path.endsWith(`${b}/item.md`) ? "EACCES" : "pass");
  const { problems } = await runDoctor(desk, { fix: false });
  assert.deepEqual(
    problems.map(({ check, path }) => `${check} ${path}`),
    [`unreadable ${b}/item.md`, "unknown_file notes.md"],
  );
});

test("on a disk that cannot be written the doctor looks all the same", async () => {
  const { desk, host } = await plant({ ...sound, ".gitignore": null });
  const refuse: typeof desk.locks.hold = async (path) =>
    host.files.replace(path, new Uint8Array()).then(() => assert.fail("the disk can be written"));
  host.disk.plan = ({ kind }) => (kind === "read" ? "pass" : "EACCES");
  const { problems } = await runDoctor({ ...desk, locks: { hold: refuse } }, { fix: false });
  assert.deepEqual(
    problems.map(({ check, fixed }) => [check, fixed]),
    [["git_settings", false]],
  );
  await assert.rejects(runDoctor({ ...desk, locks: { hold: refuse } }, { fix: true }), {
    code: "permission_denied",
  });
});

test("a second look, with the lock held, tells a living writer from a killed one", async () => {
  const { desk, host } = await plant({ ...sound, [`${b}/.item.md.0a-1.tmp`]: "half" });
  let waits = 0;
  // The writer that held the lock is done by the time that doctor has it.
  const hold: typeof desk.locks.hold = async (path, work) => {
    waits += 1;
    await host.files.removeFile(`${desk.root}/${b}/.item.md.0a-1.tmp`);
    return desk.locks.hold(path, work);
  };
  const { problems } = await runDoctor({ ...desk, locks: { hold } }, { fix: false });
  assert.deepEqual([problems, waits], [[], 1]);
});
