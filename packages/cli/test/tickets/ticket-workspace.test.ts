/** Whose tickets a command is about, by where it is called. */
import assert from "node:assert/strict";
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { YoiError } from "@yoi/base";
import { readEnvironment } from "../../src/environment.ts";
import { ticketRootOf, ticketWorkspace } from "../../src/tickets/ticket-workspace.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "yoi-test-where-")));
after(() => rmSync(top, { recursive: true }));
const at = (...names: readonly string[]): string => {
  const path = join(top, ...names);
  mkdirSync(path, { recursive: true });
  return path;
};

function from(place: string, named?: string): Promise<string> {
  return ticketWorkspace(named, { ...readEnvironment(), workingDirectory: () => place });
}

test("the tickets are those of the nearest directory upward that has some, or a repository", async () => {
  at("plain", "below");
  at("repository", ".git");
  at("repository", "a", "b");
  at("repository", "inner", ".yoi", "tickets");
  at("repository", "inner", "c");
  at("repository", "module");
  writeFileSync(join(top, "repository/module/.git"), "gitdir: elsewhere\n");
  at("repository", "configured", ".yoi");
  at("linked", ".yoi");
  symlinkSync(at("plain"), join(top, "linked/.yoi/tickets"));
  at("linked", "below");
  const rows: readonly (readonly [string, string])[] = [
    ["plain/below", "plain/below"],
    ["repository", "repository"],
    ["repository/a/b", "repository"],
    ["repository/inner", "repository/inner"],
    ["repository/inner/c", "repository/inner"],
    // As git has it where one repository is a part of another.
    ["repository/module", "repository/module"],
    ["repository/configured", "repository"],
    // That it is a link is said when it is opened.
    ["linked/below", "linked"],
  ];
  const found = await Promise.all(rows.map(([place]) => from(join(top, place))));
  assert.deepEqual(
    rows.map(([place], index) => [place, found[index]?.slice(top.length + 1)]),
    rows,
  );
});

test("a directory that is named is taken as it is, and has to be there", async () => {
  at("repository", ".git");
  assert.equal(await from(at("repository", "a"), "."), join(top, "repository/a"));
  assert.equal(await from(top, "repository/a"), join(top, "repository/a"));
  await assert.rejects(
    from(top, "nowhere"),
    (error: unknown) => error instanceof YoiError && error.code === "workspace_missing",
  );
});

test("what others keep or put above a directory is not its own", async (t) => {
  if (process.getuid?.() !== 0) return t.diagnostic("only root can give a directory away");
  const theirs = at("theirs");
  at("theirs", ".yoi", "tickets");
  const mine = at("theirs", "mine", "below");
  assert.equal(await from(mine), theirs);
  const nobody = 65_534;
  chownSync(theirs, nobody, nobody);
  assert.equal(await from(mine), mine);
  const shared = at("shared", "below");
  const sign = at("shared", ".yoi", "tickets");
  assert.equal(await from(shared), join(top, "shared"));
  chownSync(sign, nobody, nobody);
  assert.equal(await from(shared), shared);
});

test("the tickets of a workspace are in its .yoi", () => {
  assert.equal(ticketRootOf("/w"), "/w/.yoi/tickets");
});
