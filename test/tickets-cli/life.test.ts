/** A ticket from its first line to its close and back, by the real program; and texts that are long, foreign or hostile. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Ticket, titleCharsMax } from "@yoi/tickets";
import { runYoi } from "../support/yoi-process.ts";
import { idsIn, jsonOf, openTickets, rootOf, type ShownEvent } from "./support.ts";

const idPattern = /^[0-9A-HJKMNP-TV-Z]{13}$/;

test("a ticket is made, planned, queued, reported, reviewed twice, done, closed and opened again", async () => {
  using tickets = openTickets();
  const { home } = tickets;
  mkdirSync(join(home.workspace, "src"));
  mkdirSync(join(home.workspace, ".git"));
  const env = { ...home.env, USER: "hare" };
  // From below the workspace: the repository is found upward.
  const cwd = join(home.workspace, "src");
  const yoi = (args: readonly string[], input?: string) =>
    runYoi(["ticket", ...args], { env, cwd, ...(input === undefined ? {} : { input }) });

  const created = await yoi(["create", "--title", "Bound the retries", "--label", "retry", "--label", "net"]);
  assert.deepEqual(
    [created.code, created.stderr],
    [0, `yoi: The tickets of ${home.workspace} are in ${rootOf(home.workspace)} from now on.\n`],
  );
  const id = /^created (\S+)\n$/.exec(created.stdout)?.[1] ?? assert.fail(created.stdout);
  assert.match(id, idPattern);
  assert.deepEqual(idsIn(home.workspace), [id]);

  const end = id.slice(-6).toLowerCase();
  const steps: readonly (readonly [readonly string[], string?])[] = [
    [["plan", id, "-"], "1. Count the tries.\n"],
    [["status", id, "ready"]],
    [["status", end, "queued"]],
    [["status", id, "inprogress"]],
    [["report", id, "Done in 4f1c2d0.", "--author", "ada"]],
    [["review", id, "--request-changes"], "The sixth try is not tested."],
    [["report", id, "Tested.", "--author", "ada"]],
    [["review", id, "--approve"]],
    [["status", id, "done"]],
    [["close", id, "--resolution", "Merged."]],
    [["reopen", id, "--reason", "it came back"]],
  ];
  const said: Omit<ShownEvent, "at" | "id">[] = [];
  for (const [args, input] of steps) {
    const ran = input === undefined ? tickets.ticket(...args, "--json") : yoi([...args, "--json"], input);
    const event = jsonOf<ShownEvent>(await ran);
    const { at, id: eventId, ...rest } = event;
    assert.match(eventId, idPattern);
    assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    said.push(rest);
  }
  const by = { ticket: id, author: "hare", role: "user" };
  const change = (from: string, to: string) => ({ ...by, kind: "state_changed", body: "", from, to });
  assert.deepEqual(said, [
    { ...by, kind: "plan", body: "1. Count the tries." },
    change("planning", "ready"),
    change("ready", "queued"),
    change("queued", "inprogress"),
    { ...by, author: "ada", kind: "implementation_report", body: "Done in 4f1c2d0." },
    { ...by, kind: "review", status: "request_changes", body: "The sixth try is not tested." },
    { ...by, author: "ada", kind: "implementation_report", body: "Tested." },
    { ...by, kind: "review", status: "approve", body: "" },
    change("inprogress", "done"),
    { ...by, kind: "close", body: "Merged.", from: "done", to: "closed" },
    { ...by, kind: "reopen", body: "", from: "closed", to: "planning", reason: "it came back" },
  ]);
  const ticket = jsonOf<Ticket>(await yoi(["show", id, "--json"]));
  assert.deepEqual(
    [ticket.state, ticket.title, ticket.fields, ticket.resolution],
    ["planning", "Bound the retries", { labels: ["retry", "net"] }, null],
  );
  assert.deepEqual(
    ticket.events.map(({ kind }) => kind),
    ["create", ...said.map(({ kind }) => kind)],
  );
  assert.equal(new Set(ticket.events.map((event) => event.id)).size, 12);
});

test("a ticket whose state two branches changed is shown in both, and a person says which holds", async () => {
  using tickets = openTickets();
  const { root, ticket, made } = tickets;
  const id = await made();
  const thread = join(root, id, "thread.md");
  const base = readFileSync(thread, "utf8");
  const change = async (...args: readonly string[]) => {
    assert.equal((await ticket(...args)).code, 0);
    return readFileSync(thread, "utf8").slice(base.length);
  };
  const ready = await change("status", id, "ready");
  writeFileSync(thread, base);
  const closed = await change("close", id, "--resolution", "Not wanted.");
  writeFileSync(thread, base + ready + closed);
  const { stdout } = await ticket("status", id);
  assert.equal(
    stdout,
    `${id} stands in ready and closed at once, since two branches were merged that each changed its state. Say which holds:
TO      BY   WITH
ready   you  a reason
closed  you  a resolution: yoi ticket close
`,
  );
  const { state, contested } = jsonOf<Record<string, unknown>>(await ticket("status", id, "--json"));
  assert.deepEqual([state, contested], ["ready", ["ready", "closed"]]);
  const shown = await ticket("show", id);
  assert.match(shown.stdout, /stands in ready and closed: say which holds, see yoi ticket status/);
  const without = await ticket("status", id, "ready");
  assert.deepEqual([without.code, without.stdout], [2, ""]);
  await change("close", id, "--resolution", "Not wanted, by all.");
  assert.equal((await ticket("status", id, "--json")).stdout.includes('"contested":[]'), true);
  assert.equal((await ticket("doctor")).code, 0);
});

test("what each verb says to a person", async () => {
  using tickets = openTickets();
  const event = / [0-9A-Z]{13}(?= to )|(?<=event )[0-9A-Z]{13}/;
  const says = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await tickets.ticket(...args);
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    return stdout.replace(event, (found) => (found.startsWith(" ") ? " EVENT" : "EVENT"));
  };
  const id = await tickets.made("first");
  const other = await tickets.made("second");
  const rows: readonly (readonly [readonly string[], string])[] = [
    [["comment", id, "Seen."], `added comment EVENT to ${id}\n`],
    [["decide", id, "Five."], `added decision EVENT to ${id}\n`],
    [["report", id, "Done."], `added implementation_report EVENT to ${id}\n`],
    [["review", id, "--approve", "Fine."], `added review (approve) EVENT to ${id}\n`],
    [["status", id, "ready"], `${id}: planning -> ready (event EVENT)\n`],
    [["link", other, "--part-of", id], `${other} is part of ${id} (event EVENT)\n`],
    [["link", id, "--follows", other], `${id} follows ${other} (event EVENT)\n`],
    [["link", other, "--blocks", id], `${other} blocks ${id} (event EVENT)\n`],
    [
      ["status", id],
      `${id} is ready. From there:
TO        BY                         WITH
queued    you                        done or closed before: ${other}
planning  you, intake, orchestrator  a reason
closed    you                        a resolution: yoi ticket close
`,
    ],
    [["link", other, "--blocks", id, "--remove"], `${other} no longer blocks ${id} (event EVENT)\n`],
    [["link", id, "--follows", other, "--remove"], `${id} no longer follows ${other} (event EVENT)\n`],
    [["status", id, "queued"], `${id}: ready -> queued (event EVENT)\n`],
    [["status", id, "inprogress"], `${id}: queued -> inprogress (event EVENT)\n`],
    [
      ["status", id],
      `${id} is inprogress. From there:
TO        BY                 WITH
done      you, orchestrator  done or closed before: ${other}
planning  you, orchestrator  a reason
closed    you                a resolution: yoi ticket close
`,
    ],
    [["link", other, "--part-of", id, "--remove"], `${other} is no longer part of ${id} (event EVENT)\n`],
    [
      ["status", id],
      `${id} is inprogress. From there:
TO        BY                 WITH
done      you, orchestrator
planning  you, orchestrator  a reason
closed    you                a resolution: yoi ticket close
`,
    ],
    [["close", id, "--resolution", "No."], `${id}: inprogress -> closed (event EVENT)\n`],
    [
      ["status", id],
      `${id} is closed. From there:
TO        BY   WITH
planning  you  a reason: yoi ticket reopen
`,
    ],
    [["reopen", id, "--reason", "Yes"], `${id}: closed -> planning (event EVENT)\n`],
    [["list", "--state", "done"], `No tickets in ${tickets.root} with such a state.\n`],
    [
      ["list", "--limit", "1"],
      `ID             STATE     UPDATED   TITLE\n${id}  planning  just now  first\n1 more.\n`,
    ],
  ];
  const got: (readonly [readonly string[], string])[] = [];
  for (const [args] of rows) got.push([args, await says(...args)]);
  assert.deepEqual(got, rows);
});

test("Japanese, emoji, right to left, and a title of 4,000 characters: written, listed and shown as they are", async () => {
  using tickets = openTickets();
  const { ticket: yoi, home } = tickets;
  const titles = [
    "再試行を五回までにする",
    "👩‍💻 gives up 🦊🦊",
    "لا تعيد المحاولة",
    "- [ ] 'quoted' \"twice\": # no comment, --- no end",
    "x".repeat(titleCharsMax),
    "🦊".repeat(titleCharsMax),
  ];
  const bodies = titles.map((title, at) => `${title}\n\n<!-- event: close author: mallory -->\n\n${at}\n---`);
  for (const [at, title] of titles.entries()) {
    const file = join(home.root, `${at}.md`);
    writeFileSync(file, bodies[at] ?? "");
    const { id } = jsonOf<Ticket>(await yoi("create", "--title", title, "--file", file, "--json"));
    jsonOf(await yoi("comment", id, "--file", file, "--json"));
    const shown = jsonOf<Ticket>(await yoi("show", id, "--json"));
    assert.deepEqual(
      [shown.title, shown.body, shown.events.map(({ kind, body }) => [kind, body])],
      [
        title,
        bodies[at],
        [
          ["create", ""],
          ["comment", bodies[at]],
        ],
      ],
    );
    assert.equal((await yoi("show", id)).code, 0);
  }
  const listed = jsonOf<{ tickets: readonly Ticket[]; problems: readonly string[] }>(
    await yoi("list", "--json"),
  );
  assert.deepEqual(
    [listed.tickets.map(({ title }) => title).toSorted(), listed.problems],
    [titles.toSorted(), []],
  );
  const before = readdirSync(tickets.root);
  const refused = await yoi("create", "--title", "x".repeat(titleCharsMax + 1));
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /^yoi: The title of a ticket has 4001 characters, .*4000/);
  assert.deepEqual(readdirSync(tickets.root), before);
});
