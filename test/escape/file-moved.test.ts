/** A file tool finds its file, and before it uses it somebody moves or changes what it found: it does nothing, inside or outside. */
import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  readFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import { protectionOf, scopeRule } from "@yoi/scope";
import { createScopedFiles } from "@yoi/tools";
import { canary, treeLines } from "./place.ts";

function makePlace() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-moved-")));
  const [workspace, outside] = [join(root, "ws"), join(root, "outside")];
  mkdirSync(join(workspace, "a/deep"), { recursive: true });
  mkdirSync(outside);
  for (const name of ["ws/a/file", "ws/a/deep/file"]) writeFileSync(join(root, name), "inside\n");
  const protection = protectionOf({ workspace, home: null, own: [], spill: null });
  const scope = { allow: [scopeRule(workspace, "write")], deny: [] };
  return {
    root,
    workspace,
    outside,
    files: createScopedFiles({ scope: () => scope, protection }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
type MovablePlace = ReturnType<typeof makePlace>;

interface Meddling {
  readonly what: string;
  readonly meddle: (place: MovablePlace) => void;
  readonly code: string;
}

const moves: readonly Meddling[] = [
  {
    what: "the directory is moved out of the workspace",
    meddle: ({ workspace, outside }) => renameSync(`${workspace}/a/deep`, `${outside}/taken`),
    code: "out_of_scope",
  },
  {
    what: "a parent is moved out of the workspace",
    meddle: ({ workspace, outside }) => renameSync(`${workspace}/a`, `${outside}/taken`),
    code: "out_of_scope",
  },
  {
    what: "a parent is moved out, and a link to it put in its place",
    meddle: ({ workspace, outside }) => {
      renameSync(`${workspace}/a`, `${outside}/taken`);
      symlinkSync(`${outside}/taken`, `${workspace}/a`);
    },
    code: "out_of_scope",
  },
  {
    what: "a parent gets another name in the workspace",
    meddle: ({ workspace }) => renameSync(`${workspace}/a`, `${workspace}/b`),
    code: "out_of_scope",
  },
];

const changes: readonly Meddling[] = [
  {
    what: "the file is changed in place",
    meddle: ({ workspace }) => writeFileSync(`${workspace}/a/deep/file`, "by somebody else\n"),
    code: "usage",
  },
  {
    what: "the file is replaced",
    meddle: ({ workspace }) => renameSync(`${workspace}/a/file`, `${workspace}/a/deep/file`),
    code: "usage",
  },
  {
    what: "the file is removed",
    meddle: ({ workspace }) => rmSync(`${workspace}/a/deep/file`),
    code: "usage",
  },
];

/** The call walks to the file before it returns its promise, and uses it no earlier than the next turn of the event loop. */
async function refusedAfter<T>(call: Promise<T>, place: MovablePlace, row: Meddling): Promise<void> {
  row.meddle(place);
  const [before, outcome] = [
    treeLines(place.root),
    await call.then(
      () => null,
      (error: unknown) => error,
    ),
  ];
  assert.ok(outcome instanceof YoiError, `not refused: ${String(outcome)}`);
  assert.equal(outcome.code, row.code, outcome.message);
  assert.deepEqual(treeLines(place.root), before, "something was written");
}

for (const row of moves) {
  test(`read, and meanwhile ${row.what}: refused, nothing that was put there since is told`, async () => {
    using place = makePlace();
    const held = await open(`${place.workspace}/a/deep/file`, "w");
    try {
      const meddle = (where: MovablePlace): void => {
        row.meddle(where);
        // Through a descriptor, so wherever the file is by now.
        writeFileSync(held.fd, `${canary}\n`);
      };
      await refusedAfter(place.files.read(`${place.workspace}/a/deep/file`), place, { ...row, meddle });
    } finally {
      await held.close();
    }
  });
}

for (const row of [...moves, ...changes]) {
  test(`replace, and meanwhile ${row.what}: refused, nothing is written`, async () => {
    using place = makePlace();
    const path = `${place.workspace}/a/deep/file`;
    const { identity } = await place.files.read(path);
    const writing = place.files.write(path, Buffer.from("written\n"), { kind: "same", identity });
    await refusedAfter(writing, place, row);
  });
}

const appears: Meddling = {
  what: "somebody else makes it",
  meddle: ({ workspace }) => writeFileSync(`${workspace}/a/deep/new`, "by somebody else\n"),
  code: "usage",
};
for (const row of [...moves, appears]) {
  test(`create, and meanwhile ${row.what}: refused, nothing is written`, async () => {
    using place = makePlace();
    const path = `${place.workspace}/a/deep/new`;
    const writing = place.files.write(path, Buffer.from("written\n"), { kind: "missing" });
    await refusedAfter(writing, place, row);
  });
}

test("control: with nothing in between all three are done", async () => {
  using place = makePlace();
  const [path, created] = [`${place.workspace}/a/deep/file`, `${place.workspace}/a/deep/new`];
  const { identity, bytes } = await place.files.read(path);
  assert.equal(bytes.toString(), "inside\n");
  await place.files.write(path, Buffer.from("written\n"), { kind: "same", identity });
  await place.files.write(created, Buffer.from("made\n"), { kind: "missing" });
  assert.deepEqual(
    [path, created].map((name) => readFileSync(name, "utf8")),
    ["written\n", "made\n"],
  );
});
