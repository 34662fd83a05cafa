/** docs/tickets.md holds what it says: its commands do what it tells, its example is a ticket, its tables are the code's. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  authorCharsMax,
  bodyBytesMax,
  type DoctorReport,
  entryRoles,
  itemBytesMax,
  reasonBytesMax,
  relationsMax,
  threadBytesMax,
  type Ticket,
  type TicketRole,
  ticketsMax,
  titleCharsMax,
  transitionRules,
} from "@yoi/tickets";
import { ticketChecks } from "../../packages/tickets/src/doctor/checks.ts";
import { shell } from "../newcomer/shell.ts";
import { tempHome } from "../support/temp-home.ts";
import { jsonOf, openTickets } from "./support.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const text = readFileSync(join(root, "docs/tickets.md"), "utf8");

/** A heading inside of an example is none of the page. */
function section(heading: string): string {
  const marked = text.replace(/^```[\s\S]*?^```$/gm, (code) => code.replaceAll(/^#/gm, "\0#"));
  const found = marked.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0];
  assert.ok(found !== undefined, `no section ${heading}`);
  return found.replaceAll("\0", "");
}

/** Cells of the rows of the `nth` table below a heading. */
function table(heading: string, nth = 0): readonly (readonly string[])[] {
  const found = [...section(heading).matchAll(/(?:^\|.*\n)+/gm)][nth]?.[0] ?? assert.fail("no such table");
  return found
    .trimEnd()
    .split("\n")
    .slice(2)
    .map((row) =>
      row
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

function blocks(heading: string, language: string): readonly string[] {
  return [...section(heading).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, code = ""]) => code,
  );
}

test("the walk through a ticket's life runs as it stands, and ends with a ticket that is closed and sound", async () => {
  using home = tempHome();
  const [script = assert.fail("no script")] = blocks("Once through", "sh");
  const { code, stdout, stderr } = await shell(home, `set -e\n${script}`, {
    cwd: home.workspace,
    providerUrl: "http://127.0.0.1:1",
    env: { USER: "hare" },
  });
  assert.equal(code, 0, `${stdout}${stderr}`);
  assert.equal(
    stderr,
    `yoi: The tickets of ${home.workspace} are in ${home.workspace}/.yoi/tickets from now on.\n`,
  );
  const said = stdout.replaceAll(/[0-9A-Z]{13}/g, "ID").replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
  assert.match(said, /^added plan ID to ID\nID: planning -> ready \(event ID\)\n/);
  assert.match(
    said,
    /\n\* review request_changes by hare \(user\), TIME \[ID\]\n\n {2}The sixth try is not tested\.\n/,
  );
  assert.match(
    said,
    /\n\* close done -> closed by hare \(user\), TIME \[ID\]\n\n {2}Merged with 9e2b7aa\.\n/,
  );
  assert.match(
    said,
    /\nID {13}STATE {3}UPDATED {3}TITLE\nID {2}closed {2}just now {2}Give up after five tries\n/,
  );
  assert.match(said, /\n1 ticket in .*: nothing is wrong\.\n$/);
});

test("the example is a ticket: read as such, and doctor finds nothing", async () => {
  using tickets = openTickets();
  const [item = "", thread = ""] = blocks("On disk", "markdown");
  const id = "00001KT6Q08R9";
  assert.match(blocks("On disk", "")[0] ?? "", new RegExp(`^  ${id}/$`, "m"));
  // Its neighbours are made, so that what belongs into the folder of all is there.
  await tickets.made();
  mkdirSync(join(tickets.root, id));
  writeFileSync(join(tickets.root, id, "item.md"), item);
  writeFileSync(join(tickets.root, id, "thread.md"), thread);
  const shown = jsonOf<Ticket>(await tickets.ticket("show", id, "--json"));
  assert.deepEqual(
    [shown.title, shown.state, shown.fields, shown.body, shown.events.map(({ kind }) => kind)],
    [
      "Give up after five tries",
      "ready",
      { labels: ["retry"] },
      "The client tries for ever.",
      ["create", "plan", "state_changed"],
    ],
  );
  assert.deepEqual(jsonOf<DoctorReport>(await tickets.ticket("doctor", "--json")).problems, []);
  // Control: what was edited by hand is found.
  writeFileSync(join(tickets.root, id, "thread.md"), thread.replace("the fifth", "the sixth"));
  const found = JSON.parse((await tickets.ticket("doctor", "--json")).stdout) as DoctorReport;
  assert.deepEqual(
    found.problems.map(({ check, ticket }) => [check, ticket]),
    [["event_changed", id]],
  );
});

const listed = (roles: readonly TicketRole[]): string =>
  roles.map((role) => (role === "user" ? "a person" : role)).join(", ");

test("the tables of states and of entries are those that every verb asks", () => {
  const heading = "States, and who may change them";
  assert.deepEqual(
    table(heading).map(([from, to, who]) => [from, to, who]),
    transitionRules.map(({ from, to, pods }) => [from, to, listed(["user", ...pods])]),
  );
  assert.deepEqual(
    table(heading).map(([, , , need = ""]) => need.startsWith("a reason")),
    transitionRules.map(({ needsReason }) => needsReason),
  );
  assert.deepEqual(
    table(heading, 1),
    Object.entries(entryRoles).map(([entry, pods]) => [entry, listed(["user", ...pods])]),
  );
});

test("every check of the doctor is named, and no other", () => {
  const named = table("Doctor").flatMap(([, checks = ""]) => [...checks.matchAll(/`([a-z_]+)`/g)]);
  assert.deepEqual(named.map(([, check]) => check).toSorted(), ticketChecks.toSorted());
});

test("the limits are those in force", () => {
  const numbers = table("Limits").map(([, most = ""]) =>
    Number(/^[\d,]+/.exec(most)?.[0].replaceAll(",", "")),
  );
  assert.deepEqual(numbers, [
    titleCharsMax,
    bodyBytesMax,
    reasonBytesMax,
    authorCharsMax,
    threadBytesMax,
    itemBytesMax,
    ticketsMax,
    relationsMax,
  ]);
});

test("the JSON of each verb has the fields that are named", async () => {
  using tickets = openTickets();
  const names = (verb: string): readonly string[] => {
    const cells = table("JSON").find(([verbs]) => verbs === verb)?.[1] ?? assert.fail(`no ${verb}`);
    return [...cells.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => name);
  };
  const keys = async (...args: readonly string[]): Promise<readonly string[]> =>
    Object.keys(jsonOf<object>(await tickets.ticket(...args, "--json")));
  const ticket = names("create, show");
  assert.deepEqual((await keys("create", "--title", "a")).toSorted(), ticket.toSorted());
  const id = await tickets.made();
  assert.deepEqual((await keys("show", id)).toSorted(), ticket.toSorted());
  const list = jsonOf<{ tickets: readonly object[] }>(await tickets.ticket("list", "--json"));
  assert.deepEqual(
    [Object.keys(list), Object.keys(list.tickets[0] ?? {}).toSorted()],
    [
      [...new Set(names("list"))].filter((name) => name !== "fields"),
      ticket.slice(0, ticket.indexOf("fields") + 1).toSorted(),
    ],
  );
  assert.deepEqual(await keys("status", id), names("status without a state"));
  assert.deepEqual((await keys("doctor")).toSorted(), names("doctor").toSorted());
  mkdirSync(join(tickets.workspace, "work-items/open"), { recursive: true });
  assert.deepEqual(await keys("import"), names("import"));
  const events = names("comment, plan, decide, report, review, status with a state, close, reopen, link");
  const seen = new Set<string>();
  for (const args of [
    ["comment", id, "a"],
    ["review", id, "a", "--approve"],
    ["status", id, "ready"],
    ["status", id, "planning", "--reason", "a"],
    ["link", id, "--follows", await tickets.made()],
  ])
    for (const key of await keys(...args)) seen.add(key);
  assert.deepEqual([...seen].toSorted(), events.toSorted());
});
