/** A key in whatever a verb is given: none of it comes into a file that is committed, and it is said. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTickets } from "./support.ts";

const key = "sk-ant-api03-CANARYCANARYCANARYCANARYCANARY0123456789";

test("a key in each flag and text of each verb that writes stands nowhere in the tickets", async () => {
  using tickets = openTickets({ ANTHROPIC_API_KEY: key });
  const { workspace, root, home } = tickets;
  const id = await tickets.made();
  const other = await tickets.made("other");
  const file = join(home.root, "body.md");
  writeFileSync(file, `In a file: ${key}\n`);
  const old = join(workspace, "work-items/open/20260603-122317-one");
  mkdirSync(old, { recursive: true });
  writeFileSync(join(old, "item.md"), "---\ntitle: One\ncreated_at: 2026-06-03T12:23:17Z\n---\nText.\n");
  const by = ["--author", `a ${key}`];
  const rows: readonly (readonly string[])[] = [
    ["create", "--title", `t ${key}`],
    ["create", "--title", "t", "--file", file],
    ["create", "--title", "t", "--label", "one", "--label", `l ${key}`],
    ["create", "--title", "t", "--priority", `p ${key}`],
    ["create", "--title", "t", "--assignee", `a ${key}`],
    ...["comment", "plan", "decide", "report"].flatMap((verb) => [
      [verb, id, `b ${key}`],
      [verb, id, "--file", file],
      [verb, id, "b", ...by],
    ]),
    ["review", id, "--approve", `b ${key}`],
    ["review", id, "--request-changes", "--file", file],
    ["status", id, "ready", ...by],
    ["status", id, "planning", "--reason", `r ${key}`],
    ["link", id, "--follows", other, ...by],
    ["link", id, "--follows", other, "--remove", ...by],
    ["close", id, "--resolution", `q ${key}`],
    ["reopen", id, "--reason", `r ${key}`],
    ["close", id, "--file", file],
    ["reopen", id, "--reason", "r", ...by],
    ["import", ...by],
  ];
  for (const args of rows) {
    const { code, stdout, stderr } = await tickets.ticket(...args);
    assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
    assert.match(stderr, /^yoi: A key that yoi knows was taken out of the [a-z]+\.\n$/, args.join(" "));
    assert.ok(!`${stdout}${textsIn(root)}`.includes("CANARY"), args.join(" "));
  }
  const marks = textsIn(root).split("[redacted: ANTHROPIC_API_KEY]").length - 1;
  assert.ok(marks >= rows.length, `a mark stands in the place of each: ${marks}`);
});

function textsIn(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")).join("\n");
}
