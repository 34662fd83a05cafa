/** Instruction files come from the repository, and from nowhere that a link in it points to. */
import assert from "node:assert/strict";
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test from "node:test";
import { loadDocuments } from "@yoi/pod";
import { resolveProtection } from "@yoi/sandbox";
import { protectionOf } from "@yoi/scope";
import { documentReader } from "../../src/compose/document-reader.ts";

const canary = "CANARY";

function machine() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-documents-")));
  const repository = join(root, "repository");
  const workspace = join(repository, "packages", "x");
  mkdirSync(workspace, { recursive: true });
  mkdirSync(join(repository, ".git"));
  const plant = (path: string, text: string | Uint8Array): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const load = async (userId = process.getuid?.()) => {
    const protection = resolveProtection(
      protectionOf({ workspace, home: null, own: [join(root, "yoi")], spill: null, programs: [] }),
    );
    return loadDocuments(workspace, await documentReader(workspace, protection, userId));
  };
  return {
    root,
    repository,
    workspace,
    plant,
    load,
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}

test("files of the repository are read from its root down", async () => {
  using m = machine();
  m.plant(join(m.repository, "AGENTS.md"), "root");
  m.plant(join(m.repository, "packages", "CLAUDE.md"), "middle");
  m.plant(join(m.workspace, "AGENTS.md"), "near");
  m.plant(join(m.root, "AGENTS.md"), "outside");
  const { documents, warnings } = await m.load();
  assert.deepEqual(
    documents.map(({ text }) => text),
    ["root", "middle", "near"],
  );
  assert.deepEqual(warnings, []);
});

test("a link within the repository is followed", async () => {
  using m = machine();
  m.plant(join(m.repository, "NOTES.md"), "linked");
  symlinkSync("../../NOTES.md", join(m.workspace, "AGENTS.md"));
  assert.deepEqual(
    (await m.load()).documents.map(({ text }) => text),
    ["linked"],
  );
});

for (const [what, target] of [
  ["a file outside of the repository", "secret"],
  ["yoi's own files", "yoi/config/config.toml"],
] as const) {
  test(`a link to ${what} is refused with a warning, and the run goes on without it`, async () => {
    using m = machine();
    m.plant(join(m.root, target), canary);
    symlinkSync(join(m.root, target), join(m.workspace, "AGENTS.md"));
    m.plant(join(m.repository, "AGENTS.md"), "root");
    const { documents, warnings } = await m.load();
    assert.deepEqual(
      documents.map(({ text }) => text),
      ["root"],
    );
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", new RegExp(`^${join(m.workspace, "AGENTS.md")} was not read: `));
    assert.ok(!JSON.stringify([documents, warnings]).includes(canary));
  });
}

test("a directory on the way that is a link out of the repository is refused too", async () => {
  using m = machine();
  m.plant(join(m.root, "elsewhere", "AGENTS.md"), canary);
  rmSync(join(m.repository, "packages"), { recursive: true });
  mkdirSync(join(m.root, "elsewhere", "x"));
  symlinkSync(join(m.root, "elsewhere"), join(m.repository, "packages"));
  m.plant(join(m.root, "elsewhere", "x", "AGENTS.md"), canary);
  const { documents, warnings } = await m.load();
  assert.ok(!JSON.stringify(documents).includes(canary));
  assert.equal(warnings.length, 2);
});

test("what is not UTF-8, a directory and a link to nowhere are no instructions", async () => {
  using m = machine();
  m.plant(join(m.workspace, "AGENTS.md"), Buffer.from([0xff, 0xfe]));
  mkdirSync(join(m.repository, "packages", "AGENTS.md"));
  symlinkSync("nowhere", join(m.repository, "AGENTS.md"));
  const { documents, warnings } = await m.load();
  assert.deepEqual(documents, []);
  assert.equal(warnings.length, 2, warnings.join("\n"));
});

test("a directory of another user instructs nobody", async () => {
  using m = machine();
  m.plant(join(m.workspace, "AGENTS.md"), "near");
  const user = process.getuid?.() ?? 0;
  // What root owns is trusted, so under root the directory is given away; otherwise somebody else looks at it.
  if (user === 0) chownSync(m.workspace, 12_345, -1);
  const { documents, warnings } = await m.load(user + 1);
  assert.deepEqual(documents, []);
  assert.deepEqual(warnings, [`${m.workspace} belongs to another user: its instruction files are not read.`]);
});
