/** Tickets used wrongly: one sentence, the right exit code, the same as JSON, and nothing is changed. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { authorCharsMax, bodyBytesMax, reasonBytesMax, type Ticket } from "@yoi/tickets";
import { assertSentence, treeOf } from "../bad-input/machine.ts";
import { runYoi, yoiCommand } from "../support/yoi-process.ts";
import { jsonOf, openTickets } from "./support.ts";

const tickets = openTickets();
after(() => tickets[Symbol.dispose]());

interface Row {
  readonly args: readonly string[];
  readonly code: number;
  readonly errorCode: string;
  readonly says: string | RegExp;
}

const usage = { code: 2, errorCode: "usage" };
const refused = { code: 1, errorCode: "ticket_refused" };
const limit = { code: 1, errorCode: "limit_exceeded" };

async function assertRefused({ args, code, errorCode, says }: Row): Promise<void> {
  const before = treeOf(tickets.root);
  const plain = await tickets.ticket(...args);
  const sentence = /^yoi: (.*)\n$/.exec(plain.stderr)?.[1];
  assert.ok(sentence !== undefined, `${args.join(" ")} is one sentence: ${plain.stderr}${plain.stdout}`);
  assertSentence(sentence);
  if (typeof says === "string") assert.equal(sentence, says);
  else assert.match(sentence, says);
  assert.deepEqual([plain.code, plain.stdout], [code, ""], args.join(" "));
  const asJson = await tickets.ticket(...args.slice(0, 1), "--json", ...args.slice(1));
  assert.deepEqual(
    [asJson.code, JSON.parse(asJson.stdout), asJson.stderr],
    [code, { error: sentence, error_code: errorCode }, plain.stderr],
  );
  assert.deepEqual(treeOf(tickets.root), before, args.join(" "));
}

// First: the workspace is empty.
test("where there are no tickets nothing is made by looking, and an id of none is said to be of none", async () => {
  mkdirSync(join(tickets.workspace, "sub"));
  const { workspace, root } = tickets;
  const before = treeOf(workspace);
  const rows: readonly (readonly [readonly string[], number, RegExp])[] = [
    [["list"], 0, new RegExp(`^No open tickets in ${root}: `)],
    [["list", "--state", "all"], 0, /^No tickets in /],
    [["doctor"], 0, /^0 tickets in /],
    [["show", "00001KT6Q08R9"], 1, /00001KT6Q08R9/],
    [["comment", "00001KT6Q08R9", "a"], 1, /00001KT6Q08R9/],
    [["close", "KT6Q08R9", "--resolution", "a"], 1, /"KT6Q08R9"/],
  ];
  for (const [args, code, says] of rows) {
    const ran = await tickets.ticket(...args);
    assert.equal(ran.code, code, args.join(" "));
    assert.match(ran.stdout + ran.stderr.replace(/^yoi: /, ""), says);
  }
  assert.deepEqual(treeOf(workspace), before);
});

test("a table of wrong command lines: each is one sentence with its exit code, and changes nothing", async () => {
  const { home, workspace, root } = tickets;
  const id = await tickets.made("first");
  const other = await tickets.made("second");
  const closed = await tickets.made("third");
  assert.equal((await tickets.ticket("close", closed, "--resolution", "Done.")).code, 0);
  assert.equal((await tickets.ticket("link", other, "--blocks", id)).code, 0);
  assert.equal((await tickets.ticket("status", id, "ready")).code, 0);
  const file = (name: string, text: string | Uint8Array): string => {
    writeFileSync(join(home.root, name), text);
    return join(home.root, name);
  };
  const latin1 = file("latin1.md", new Uint8Array([0x4a, 0xfc]));
  const nul = file("nul.md", "a\0b");
  const large = file("large.md", "a".repeat(bodyBytesMax + 1));
  const blank = file("blank.md", "\n");
  const nobody = "00001KT6Q08R9";
  const rows: readonly Row[] = [
    {
      args: ["create"],
      ...usage,
      says: /^Required option '--title <text>' not specified\. See `yoi ticket create --help`\.$/,
    },
    { args: ["create", "--title", " "], ...usage, says: /title of a ticket is empty/ },
    { args: ["create", "--title", "a\nb"], ...usage, says: /title of a ticket .*one line/ },
    { args: ["create", "--title", "a\u001bb"], ...usage, says: /title of a ticket .*one line/ },
    { args: ["create", "--title", "a", "more"], ...usage, says: /^Too many arguments/ },
    { args: ["create", "--title", "a", "--label", ""], ...usage, says: /field "labels" .*empty/ },
    { args: ["create", "--title", "a", "--priority", "P\n1"], ...usage, says: /field "priority" .*one line/ },
    {
      args: ["create", "--title", "a", "--file", join(home.root, "no.md")],
      ...usage,
      says: /no\.md cannot be read \(ENOENT\)/,
    },
    { args: ["create", "--title", "a", "--file", home.root], ...usage, says: /cannot be read \(EISDIR\)/ },
    { args: ["create", "--title", "a", "--file", latin1], ...usage, says: /latin1\.md is not UTF-8 text/ },
    { args: ["create", "--title", "a", "--file", nul], ...usage, says: /is not text: it holds a NUL/ },
    {
      args: ["create", "--title", "a", "--file", large],
      ...limit,
      says: /large\.md holds more than 262144 bytes/,
    },
    { args: ["create", "--title", "a", "--author", ""], ...usage, says: /author .*empty/ },
    {
      args: ["create", "--title", "a", "--author", "x -->\n<!-- event"],
      ...usage,
      says: /author .*one line/,
    },
    {
      args: ["create", "--title", "a", "--author", "x".repeat(authorCharsMax + 1)],
      ...limit,
      says: /author has 129 characters/,
    },
    {
      args: ["create", "--title", "a", "-C", join(workspace, "nowhere")],
      code: 2,
      errorCode: "workspace_missing",
      says: /nowhere cannot be opened \(ENOENT\)/,
    },
    {
      args: ["list", "--state", "open"],
      ...usage,
      says: /^Option '--state <states\.\.\.>' argument 'open' is invalid\. Allowed choices are planning, ready, /,
    },
    { args: ["list", "--limit", "0"], ...usage, says: /whole number above 0/ },
    { args: ["show"], ...usage, says: /^Missing required argument 'id'/ },
    { args: ["show", "abc"], ...usage, says: /^"abc" is no id of a ticket: it has 13 letters and digits/ },
    { args: ["show", "../../../etc"], ...usage, says: /is no id of a ticket/ },
    { args: ["show", nobody], code: 1, errorCode: "ticket_unknown", says: new RegExp(`${nobody}`) },
    {
      args: ["show", "ZZZZ"],
      code: 1,
      errorCode: "ticket_unknown",
      says: `There is no ticket whose id begins or ends with "ZZZZ" in ${root}: \`yoi ticket list --state all\` shows all of them.`,
    },
    {
      args: ["show", id.slice(0, 6)],
      ...usage,
      says: new RegExp(
        `^"${id.slice(0, 6)}" may mean ${[id, other, closed].toSorted().join(", ")}: give more of the id\\.$`,
      ),
    },
    {
      args: ["comment", id, ""],
      ...usage,
      says: `The text of the comment is empty: \`yoi ticket comment ${id} "TEXT"\`.`,
    },
    { args: ["comment", id], ...usage, says: /^The text of the comment is empty/ },
    { args: ["comment", id, "-"], ...usage, says: /^The text of the comment is empty/ },
    {
      args: ["comment", id, "a", "--file", blank],
      ...usage,
      says: /^Both a text and a file are given for the comment/,
    },
    { args: ["plan", id, "--file", blank], ...usage, says: /^The text of the plan is empty/ },
    {
      args: ["plan", id, "- a list"],
      ...usage,
      says: /^Unknown option '- a list': a text that begins with a dash stands behind `--`\./,
    },
    { args: ["decide", nobody, "a"], code: 1, errorCode: "ticket_unknown", says: new RegExp(nobody) },
    { args: ["report", id, "a".repeat(bodyBytesMax + 1)], ...limit, says: /has 262145 bytes/ },
    { args: ["review", id, "a"], ...usage, says: "A review says one of --approve and --request-changes." },
    {
      args: ["review", id, "a", "--approve", "--request-changes"],
      ...usage,
      says: /^Option '--approve' cannot be used with option '--request-changes'/,
    },
    { args: ["review", id, "--request-changes"], ...usage, says: /^The text of the review is empty/ },
    {
      args: ["status", id, "open"],
      ...usage,
      says: /argument 'open' is invalid for argument 'state'|Allowed choices are planning/,
    },
    {
      args: ["status", id, "inprogress"],
      ...refused,
      says: /is ready, and cannot be brought to inprogress: from ready it goes to queued/,
    },
    { args: ["status", id, "ready"], ...refused, says: /is ready already/ },
    { args: ["status", id, "queued"], ...refused, says: new RegExp(`${other}`) },
    { args: ["status", id, "planning"], ...usage, says: /only with a reason/ },
    { args: ["status", id, "planning", "--reason", "a\nb"], ...usage, says: /reason .*one line/ },
    {
      args: ["status", id, "planning", "--reason", "a".repeat(reasonBytesMax + 1)],
      ...limit,
      says: /reason has 1025 bytes/,
    },
    {
      args: ["status", id, "--reason", "a"],
      ...usage,
      says: "--reason is of a change: say which state the ticket is to have too.",
    },
    {
      args: ["status", id, "closed"],
      ...usage,
      says: `A ticket is closed with its resolution: \`yoi ticket close ${id} --resolution "TEXT"\`.`,
    },
    { args: ["status", closed, "ready"], ...refused, says: /is closed, and cannot be brought to ready/ },
    { args: ["close", id], ...usage, says: /^The text of the resolution is empty/ },
    { args: ["close", closed, "--resolution", "Again."], ...refused, says: /is closed already/ },
    { args: ["close", id, "--resolution", "a", "--file", blank], ...usage, says: /^Both a text and a file/ },
    { args: ["reopen", id, "--reason", "a"], ...refused, says: /only a closed one is opened again/ },
    { args: ["reopen", closed], ...usage, says: /^Required option '--reason <text>' not specified/ },
    { args: ["reopen", closed, "--reason", ""], ...usage, says: /reason .*empty/ },
    { args: ["link", id], ...usage, says: /^A link is one of --blocks ID, --part-of ID and --follows ID/ },
    { args: ["link", id, "--blocks", other, "--follows", other], ...usage, says: /^A link is one of / },
    { args: ["link", id, "--blocks", id], ...usage, says: /is not related to itself/ },
    { args: ["link", id, "--blocks", other], ...refused, says: /wait for each other/ },
    {
      args: ["link", id, "--blocks", nobody],
      code: 1,
      errorCode: "ticket_unknown",
      says: new RegExp(nobody),
    },
    {
      args: ["link", id, "--follows", other, "--remove"],
      ...refused,
      says: /does not have the relation follows/,
    },
    { args: ["import", join(home.root, "nowhere")], ...usage, says: /nowhere/ },
    { args: ["import"], ...usage, says: /work-items/ },
    { args: ["frob"], ...usage, says: /^Unknown command 'frob'/ },
  ];
  for (const row of rows) await assertRefused(row);
});

test("standard input that is empty or no text is refused", async () => {
  const id = await tickets.made();
  const options = { env: tickets.home.env, cwd: tickets.workspace };
  const run = (input: string | Uint8Array) => runYoi(["ticket", "comment", id], { ...options, input });
  const before = treeOf(tickets.root);
  const [blank, bytes] = await Promise.all([run(" \n"), run(new Uint8Array([0xff, 0xfe]))]);
  assert.deepEqual(
    [blank, bytes].map(({ code, stdout, stderr }) => [code, stdout, stderr]),
    [
      [2, "", `yoi: The text of the comment is empty: \`yoi ticket comment ${id} "TEXT"\`.\n`],
      [2, "", "yoi: Standard input is not UTF-8 text: convert it first, nothing was written.\n"],
    ],
  );
  assert.deepEqual(treeOf(tickets.root), before);
});

test("a comment whose answer cannot be written stands, and the sentence keeps nobody from looking before they write it again", async () => {
  using full = openTickets();
  const id = await full.made();
  const ran = spawnSync(
    "bash",
    ["-c", '"$0" "$@" > /dev/full', yoiCommand, "ticket", "comment", id, "Once."],
    {
      cwd: full.workspace,
      env: { ...full.home.env },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  assert.equal(ran.status, 1);
  assert.match(
    ran.stderr,
    /^yoi: The output could not be written \(ENOSPC\): what was done stands, .* in the ticket, /,
  );
  const { events } = jsonOf<Ticket>(await full.ticket("show", id, "--json"));
  assert.deepEqual(
    events.map(({ body }) => body),
    ["", "Once."],
  );
});

test("where tickets cannot be read, a list does not say that there are none", async () => {
  using damaged = openTickets();
  const id = await damaged.made();
  writeFileSync(join(damaged.root, id, "item.md"), "no front matter\n");
  const { root } = damaged;
  const rows: readonly (readonly [readonly string[], string])[] = [
    [[], `No open tickets in ${root} that can be read: see \`yoi ticket doctor\`.\n`],
    [
      ["--state", "done"],
      `No tickets with such a state in ${root} that can be read: see \`yoi ticket doctor\`.\n`,
    ],
  ];
  for (const [args, says] of rows) {
    const { code, stdout, stderr } = await damaged.ticket("list", ...args);
    assert.deepEqual([code, stdout], [0, says]);
    assert.match(stderr, new RegExp(`^yoi: Ticket ${id} cannot be read: .*\n$`));
  }
});

test("what is advised for an old layout works from wherever it is typed", async () => {
  using tickets = openTickets();
  await tickets.made();
  const below = join(tickets.workspace, "sub");
  mkdirSync(below);
  for (const [at, folder] of [
    ["work-items", join(tickets.workspace, "work-items")],
    ["root", tickets.root],
  ] as const) {
    const old = join(folder, "open", `20260603-122317-${at}`);
    mkdirSync(old, { recursive: true });
    writeFileSync(join(old, "item.md"), "---\ntitle: One\ncreated_at: 2026-06-03T12:23:17Z\n---\n");
  }
  const { stdout } = await tickets.ticket("doctor");
  const commands = [...stdout.matchAll(/: (yoi ticket import.*)$/gm)].map(([, command = ""]) => command);
  assert.deepEqual(commands, [`yoi ticket import "${tickets.root}"`, "yoi ticket import"]);
  for (const command of commands) {
    const args = command.replaceAll('"', "").split(" ").slice(1);
    const { code, stdout: said } = await runYoi(args, { env: tickets.home.env, cwd: below });
    assert.equal(code, 0);
    assert.match(said, /1 imported, 0 came in before, 0 refused\.\n$/);
  }
  assert.match((await tickets.ticket("doctor")).stdout, /nothing is wrong/);
});

test("a text that begins with a dash stands behind --", async () => {
  const id = await tickets.made();
  const { code, stderr } = await tickets.ticket("plan", id, "--", "- Count the tries.");
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match((await tickets.ticket("show", id)).stdout, /^ {2}- Count the tries\.$/m);
});
