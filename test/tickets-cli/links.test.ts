/** Links planted where tickets are: no verb reads or writes through one, and what it points to stays as it is. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { treeOf } from "../bad-input/machine.ts";
import { openTickets } from "./support.ts";

const tickets = openTickets();
after(() => tickets[Symbol.dispose]());

type Place = (id: string) => string;

/** What is replaced by a link to where it was put away. */
const places: Readonly<Record<string, Place>> = {
  ".yoi": () => join(tickets.workspace, ".yoi"),
  "the folder of all tickets": () => tickets.root,
  "a ticket's folder": (id) => join(tickets.root, id),
  "item.md": (id) => join(tickets.root, id, "item.md"),
  "thread.md": (id) => join(tickets.root, id, "thread.md"),
};

const verbs = (id: string, other: string): readonly (readonly string[])[] => [
  ["show", id],
  ["comment", id, "Seen."],
  ["review", id, "--approve", "Fine."],
  ["status", id],
  ["status", id, "ready"],
  ["close", id, "--resolution", "No."],
  ["link", id, "--follows", other],
];

for (const [what, place] of Object.entries(places))
  test(`a link in the place of ${what} is refused by every verb`, async () => {
    const id = await tickets.made();
    const other = await tickets.made();
    const path = place(id);
    const away = join(tickets.home.root, "away");
    renameSync(path, away);
    symlinkSync(away, path);
    const before = treeOf(tickets.home.root);
    const whole = what.startsWith(".yoi") || what.startsWith("the folder");
    const all = [...verbs(id, other), ...(whole ? [["create", "--title", "a"], ["list"]] : [])];
    for (const args of all) {
      const { code, stdout, stderr } = await tickets.ticket(...args);
      assert.deepEqual([code, stdout], [1, ""], `${args.join(" ")}: ${stderr}`);
      assert.match(stderr, /^yoi: .* is a symbolic link, and none is followed to tickets: .*\.\n$/);
    }
    if (!whole) {
      const listed = await tickets.ticket("list");
      assert.deepEqual(
        [listed.code, listed.stdout.includes(id), listed.stdout.includes(other)],
        [0, false, true],
      );
      assert.match(listed.stderr, /symbolic link/);
    }
    const found = await tickets.ticket("doctor", "--fix");
    assert.deepEqual(
      [found.code, /symbolic link/.test(found.stdout + found.stderr)],
      [1, true],
      found.stdout + found.stderr,
    );
    assert.deepEqual(treeOf(tickets.home.root), before);
    // Control: it is the link that was in the way.
    rmSync(path);
    renameSync(away, path);
    for (const args of all) assert.equal((await tickets.ticket(...args)).code, 0, args.join(" "));
  });

test("a link in the place of the resolution, of artifacts or of the lock leads nowhere", async () => {
  const { root, home } = tickets;
  const id = await tickets.made();
  const target = join(home.root, "target");
  writeFileSync(target, "mine\n");
  const directory = join(home.root, "directory");
  mkdirSync(directory);
  writeFileSync(join(directory, "secret.md"), "mine\n");
  symlinkSync(target, join(root, id, "resolution.md"));
  symlinkSync(directory, join(root, id, "artifacts"));
  const shown = await tickets.ticket("show", id);
  assert.doesNotMatch(shown.stdout, /mine|secret/);
  await tickets.ticket("close", id, "--resolution", "Closed.");
  rmSync(join(root, ".lock"));
  symlinkSync(target, join(root, ".lock"));
  const { code, stderr } = await tickets.ticket("comment", id, "a");
  assert.deepEqual([code, /^yoi: .*\.lock.*\.\n$/.test(stderr)], [1, true], stderr);
  assert.deepEqual(
    [...treeOf(directory), ...treeOf(target)],
    [
      ["secret.md", "mine\n"],
      ["", "mine\n"],
    ],
  );
  rmSync(join(root, ".lock"));
});

test("a FIFO in the place of a thread is waited for by nobody", async (t) => {
  const id = await tickets.made();
  const path = join(tickets.root, id, "thread.md");
  rmSync(path);
  if (spawnSync("mkfifo", [path]).status !== 0) return t.skip("skipped: no mkfifo");
  for (const args of [["show", id], ["comment", id, "a"], ["doctor"]]) {
    const { code, stdout, stderr } = await tickets.ticket(...args);
    assert.equal(code, 1, args.join(" "));
    assert.match(stdout + stderr, /thread\.md/);
  }
  const listed = await tickets.ticket("list");
  assert.match(listed.stderr, /thread\.md is not a file/);
});
