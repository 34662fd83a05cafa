/** What `doctor --fix`, `create` and `comment` take away or write over is theirs: whatever else stands in a root is there afterwards, byte for byte. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { smallFileBytesMax } from "../../src/doctor/check-root.ts";
import { createTicketStore } from "../../src/index.ts";
import { gitFiles as ours } from "../../src/root-files.ts";
import { anyRoots, assertNothingLost, comment, files, latin1, old, under } from "./any-root.ts";
import { created, sound } from "./sound.ts";
import { event, gitFiles, hare, type Odd, plant, root, thread, type Tree } from "./tree.ts";

describe("in the place of a file for git is what is not ours to complete", () => {
  const rows: readonly { what: string; change: (name: string) => Tree; odd?: Odd[string]; check: string }[] =
    [
      { what: "a link", change: (name) => ({ [name]: "SECRET" }), odd: "link", check: "link" },
      { what: "a pipe", change: (name) => ({ [name]: "" }), odd: "other", check: "special_file" },
      {
        what: "a folder",
        change: (name) => ({ [name]: null, [`${name}/x`]: "x" }),
        check: "special_file",
      },
      { what: "Latin-1", change: (name) => ({ [name]: latin1 }), check: "no_text" },
      { what: "a NUL", change: (name) => ({ [name]: "# \0\n" }), check: "no_text" },
      {
        what: "more than is read",
        change: (name) => ({ [name]: "#".repeat(smallFileBytesMax + 1) }),
        check: "too_large",
      },
    ];
  for (const name of Object.keys(ours))
    for (const { what, change, odd, check } of rows)
      test(`${name}: ${what}`, async () => {
        const { desk, host } = await plant(
          { ...sound, ...change(name) },
          odd === undefined ? {} : { [name]: odd },
        );
        const before = await files({ host });
        const store = createTicketStore(desk);
        for (const fix of [false, true]) {
          const { problems } = await store.doctor({ fix });
          assert.deepEqual(
            problems.map(({ severity, check: found, path, fixable }) => [severity, found, path, fixable]),
            [["error", check, name, false]],
          );
        }
        assert.deepEqual(await files({ host }), before);
      });

  test(`a file is completed up to ${smallFileBytesMax} bytes`, async () => {
    const line = "/.lock\n";
    for (const more of [0, 1]) {
      const text = `.*.tmp\n${"#".repeat(smallFileBytesMax - line.length - ".*.tmp\n\n".length + more)}\n`;
      const { desk, host } = await plant({ ...sound, ".gitignore": text });
      const store = createTicketStore(desk);
      const { problems } = await store.doctor({ fix: true });
      assert.deepEqual(
        problems.map(({ check, fixed }) => [check, fixed]),
        [["git_settings", more === 0]],
      );
      assert.equal((await files({ host }))[".gitignore"], more === 0 ? text + line : text);
      assert.equal((await store.doctor({ fix: false })).problems.length, more, "at the limit it is read");
    }
  });
});

/** Threads without an item.md: who made what stands in them has it nowhere else. */
const threads: Readonly<Record<string, string>> = {
  "a comment": thread(created, comment),
  "a comment whose header is broken": thread(created, comment.replace("event: comment", "event comment")),
  "text behind the event": `${created}\nBy hand.\n`,
  "text before the event": `By hand.\n\n${created}`,
  "text within the event": created.replace("\n<!-- end", "\nBy hand.\n<!-- end"),
  "a create by an older tool": old,
  "a create with a body": event(1, { kind: "create", to: "planning", body: "Precious." }),
  "text alone": "By hand.\n",
};

describe("a folder without item.md stays where anybody said something in it", () => {
  const kept: Readonly<Record<string, Tree>> = {
    ...Object.fromEntries(Object.entries(threads).map(([what, text]) => [what, { "thread.md": text }])),
    "an artifact": { "thread.md": created, "artifacts/x": "x" },
    "a folder called as a temporary": { "thread.md": created, ".item.md.0a-1.tmp/x": "x" },
    "a note called nearly as a temporary": { "thread.md": created, ".notes.2.tmp": "x" },
    "a resolution": { "thread.md": created, "resolution.md": "x" },
  };
  const id = "00001KT6QZZZZ";
  for (const [what, tree] of Object.entries(kept))
    test(what, async () => {
      const { desk, host } = await plant({ ...sound, ...under(id, tree) });
      const before = await files({ host });
      const store = createTicketStore(desk);
      await store.doctor({ fix: true });
      assert.deepEqual(await files({ host }), before);
      const made = await store.create({ title: "Another", body: "" }, hare);
      const after = Object.entries(await files({ host })).filter(([path]) => !path.startsWith(made.id));
      assert.deepEqual(Object.fromEntries(after), before);
    });
  const left: Readonly<Record<string, Tree>> = {
    "the event alone": { "thread.md": created },
    nothing: { "": "" },
    "half of an item.md": { "thread.md": created, ".item.md.0a-1.tmp": "---\nti" },
    "half of a thread": { ".thread.md.0a-1.tmp": "<!-- ev" },
  };
  for (const [what, tree] of Object.entries(left))
    test(`what a killed create leaves goes: ${what}`, async () => {
      for (const clean of ["fix", "create"] as const) {
        const { desk, host } = await plant({ ...sound, ...under(id, tree) });
        const store = createTicketStore(desk);
        if (clean === "fix") await store.doctor({ fix: true });
        else await store.create({ title: "Another", body: "" }, hare);
        assert.deepEqual(
          Object.keys(await files({ host })).filter((path) => path.startsWith(id)),
          [],
        );
      }
    });
});

test("a resolution with the ends of lines of another system is taken away as ours when its ticket is opened again", async () => {
  const { desk, host } = await plant({ ...gitFiles });
  const store = createTicketStore(desk);
  const { id } = await store.create({ title: "One", body: "" }, hare);
  await store.close(id, "It\nworks.", hare);
  const path = `${root}/${id}/resolution.md`;
  await host.files.replace(path, Buffer.from("It\r\nworks.\r\n"));
  await store.reopen(id, "It does not.", hare);
  assert.equal(await host.files.stat(path), null);
  assert.deepEqual((await store.doctor({ fix: false })).problems, []);
});

test("whatever stands in a root, every byte of it stays (25 roots, seed 92026)", () =>
  fc.assert(fc.asyncProperty(anyRoots, assertNothingLost), { seed: 9_2026, numRuns: 25 }));
