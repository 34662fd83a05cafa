/** What a Pod's shell gets of `yoi ticket`: it reads, and writes nothing, whatever it makes of its environment. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { plant, treeOf } from "../bad-input/machine.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { findLog, linesOf } from "../support/stored-log.ts";
import { runYoi, yoiCommand } from "../support/yoi-process.ts";
import { openTickets, type Tickets } from "./support.ts";

const sentence = (variable: string): string =>
  `yoi: \`yoi ticket\` writes for people, and this is a command of a Pod (${variable} is set): a Pod uses its ticket tools, and what they refuse is done by a person in a shell of their own.\n`;

/** Each verb that writes. */
const writes = (id: string): readonly (readonly string[])[] => [
  ["create", "--title", "a"],
  ["comment", id, "a"],
  ["plan", id, "a"],
  ["decide", id, "a"],
  ["report", id, "a"],
  ["review", id, "--approve", "a"],
  ["status", id, "ready"],
  ["close", id, "--resolution", "a"],
  ["reopen", id, "--reason", "a"],
  ["link", id, "--follows", "00001KT6Q08R9"],
  ["doctor", "--fix"],
  ["import"],
];

test("every verb that writes is refused where a Pod's call is in the environment, before anything is looked at", async () => {
  using tickets = openTickets({ YOI_POD: "p" });
  const { workspace, home } = tickets;
  for (const args of writes("00001KT6Q08R9")) {
    const { code, stdout, stderr } = await tickets.ticket(...args);
    assert.deepEqual([code, stdout, stderr], [6, "", sentence("YOI_POD")], args.join(" "));
    const asJson = await tickets.ticket(...args, "--json");
    assert.deepEqual([asJson.code, JSON.parse(asJson.stdout).error_code], [6, "ticket_refused"]);
  }
  assert.deepEqual([...treeOf(workspace)], []);
  for (const args of [["list"], ["doctor"]]) assert.equal((await tickets.ticket(...args)).code, 0);
  // Control: without it the same are carried out.
  const free = await runYoi(["ticket", "create", "--title", "a"], { env: home.env, cwd: workspace });
  assert.equal(free.code, 0, free.stderr);
});

/** What the one shell command of a new Pod wrote. */
async function inShell(tickets: Tickets, command: string, sandbox: "on" | "off"): Promise<string> {
  const { home, workspace } = tickets;
  // The program that is tried, and what it is made of.
  const yoi = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
  plant(
    join(home.home, "config/config.toml"),
    `[scope]\nallow = [{ target = "${yoi}", permission = "read" }]\n`,
  );
  const step = { tool_calls: [{ name: "Bash", arguments: { command } }] };
  plant(join(workspace, "s.yaml"), `steps:\n  - ${JSON.stringify(step)}\n  - text: Done.\n`);
  const flags = ["-m", "scripted/s.yaml", "--sandbox", sandbox, "--permission-mode", "allow-in-scope"];
  const ran = await runYoi(["run", "go", "--pod", "p", ...flags], { env: home.env, cwd: workspace });
  assert.equal(ran.code, 0, ran.stderr);
  const log = findLog(home.home, "p") ?? assert.fail("no Pod");
  const [result] = linesOf(readFileSync(log)).flatMap(({ kind, item }) =>
    kind === "tool_result" ? [item as { readonly content?: string }] : [],
  );
  return result?.content ?? assert.fail("no result");
}

test("a Pod's shell without a sandbox is refused as well", async () => {
  using tickets = openTickets();
  const id = await tickets.made();
  const before = treeOf(tickets.root);
  const said = await inShell(tickets, `${yoiCommand} ticket status ${id} ready; echo "code $?"`, "off");
  assert.equal(said, `${sentence("YOI_CALL")}code 6`);
  assert.deepEqual(treeOf(tickets.root), before);
});

test(
  "in the sandbox it is refused, also by a shell that forgets whose it is; reading goes on",
  { skip: noBubblewrap() },
  async () => {
    using tickets = openTickets();
    const id = await tickets.made("Readable");
    const before = treeOf(tickets.root);
    const bare = `env -u YOI_CALL -u YOI_POD ${yoiCommand}`;
    const lines = [
      `${yoiCommand} ticket status ${id} ready; echo "code $?"`,
      `${bare} ticket status ${id} ready; echo "code $?"`,
      `${bare} ticket create --title forged; echo "code $?"`,
      `echo "state: queued" >> .yoi/tickets/${id}/item.md; echo "code $?"`,
      `${yoiCommand} ticket list; echo "code $?"`,
    ];
    const said = await inShell(tickets, lines.join("\n"), "on");
    assert.deepEqual(
      [...said.matchAll(/^code (\d+)$/gm)].map(([, code]) => code),
      ["6", "1", "1", "1", "0"],
      said,
    );
    assert.match(said, new RegExp(`^${id} .* Readable$`, "m"));
    assert.doesNotMatch(said, /has a bug/);
    assert.deepEqual(treeOf(tickets.root), before);
  },
);
