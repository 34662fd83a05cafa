/** One verb over the simulated disk, with one operation of it that crashes or fails: the ticket is as before or as after, and the next write puts right what is left. */
import assert from "node:assert/strict";
import { YoiError } from "@yoi/base";
import { type DiskEffect, HostCrashed, type MemoryHost, memoryHost, noFaults } from "@yoi/host";
import { type Actor, createTicketStore, type Ticket, type TicketStore } from "@yoi/tickets";

const root = "/project/.yoi/tickets";
const user: Actor = { author: "hare", role: "user" };
const coder: Actor = { author: "hands", role: "coder" };

export type OpenStore = (host: MemoryHost) => TicketStore;

export const openStore: OpenStore = (host) =>
  createTicketStore({
    ...host,
    root,
    kindAt: async (path) => (await host.files.stat(path))?.kind ?? null,
  });

export interface Verb {
  readonly name: string;
  /** Brings the one ticket there to where the verb begins. */
  readonly prepare: (store: TicketStore, id: string, other: string) => Promise<unknown>;
  readonly run: (store: TicketStore, id: string, other: string) => Promise<unknown>;
}

async function along(
  store: TicketStore,
  id: string,
  ...states: ("ready" | "queued" | "inprogress" | "done")[]
) {
  for (const to of states) await store.transition(id, { to }, user);
}

/** Of several sectors, so that a part of it can be lost. */
const long = "What was found, line by line.\n".repeat(60).trim();

export const verbs: readonly Verb[] = [
  {
    name: "create",
    prepare: async () => {},
    run: (store) => store.create({ title: "Another", body: long, fields: { labels: ["a", "b"] } }, user),
  },
  {
    name: "comment",
    prepare: async () => {},
    run: (store, id) => store.add(id, { kind: "comment", body: long }, coder),
  },
  {
    name: "review",
    prepare: (store, id) => store.add(id, { kind: "implementation_report", body: long }, coder),
    run: (store, id) => store.add(id, { kind: "review", status: "approve", body: long }, user),
  },
  {
    name: "transition",
    prepare: (store, id) => along(store, id, "ready", "queued"),
    run: (store, id) => store.transition(id, { to: "inprogress" }, user),
  },
  {
    name: "close",
    prepare: (store, id) => along(store, id, "ready", "queued", "inprogress", "done"),
    run: (store, id) => store.close(id, long, user),
  },
  {
    name: "reopen",
    prepare: (store, id) => store.close(id, long, user),
    run: (store, id) => store.reopen(id, "it broke", user),
  },
  {
    name: "close again",
    prepare: async (store, id) => {
      await store.close(id, "The first time.", user);
      await store.reopen(id, "it broke", user);
    },
    run: (store, id) => store.close(id, long, user),
  },
  {
    name: "link",
    prepare: async () => {},
    run: (store, id, other) => store.link(id, { relation: "blocks", target: other }, user),
  },
  {
    name: "unlink",
    prepare: (store, id, other) => store.link(id, { relation: "blocks", target: other }, user),
    run: (store, id, other) => store.link(id, { relation: "blocks", target: other, remove: true }, user),
  },
];

export interface Fault {
  /** Operation of the verb that is hit, from 0. */
  readonly at: number;
  readonly effect: DiskEffect;
}

type Outcome = "acknowledged" | "refused" | "crashed" | "not reached";

/** All there is, by id. */
type Whole = ReadonlyMap<string, Ticket>;

async function wholeOf(store: TicketStore): Promise<Whole> {
  const { tickets, problems } = await store.list({
    states: ["planning", "ready", "queued", "inprogress", "done", "closed"],
  });
  assert.deepEqual(problems, []);
  const shown = await Promise.all(tickets.map(({ id }) => store.show(id)));
  return new Map(shown.map((ticket) => [ticket.id, ticket]));
}

/** Says how the verb ended; `not reached`: it has fewer operations. Throws where the promise does not hold. */
export async function crashCase(
  verb: Verb,
  fault: Fault,
  { seed, open = openStore }: { readonly seed: number; readonly open?: OpenStore },
): Promise<Outcome> {
  let host = memoryHost({ seed });
  const made = open(host);
  const { id } = await made.create({ title: "The one", body: long }, user);
  const { id: other } = await made.create({ title: "The other", body: "" }, user);
  await verb.prepare(made, id, other);
  await host.advance(5);
  const before = await wholeOf(open(host));

  const first = host.disk.operations + 1;
  let isHit = false;
  host.disk.plan = ({ index }) => {
    if (index !== first + fault.at) return "pass";
    isHit = true;
    return fault.effect;
  };
  let outcome: Outcome = "acknowledged";
  try {
    await verb.run(open(host), id, other);
  } catch (error) {
    if (error instanceof HostCrashed) outcome = "crashed";
    else if (error instanceof YoiError) outcome = refusedBy(error);
    else throw error;
  }
  if (!isHit) return "not reached";
  if (host.crashed) outcome = "crashed";
  else {
    host.disk.plan = noFaults;
    judge(before, await wholeOf(open(host)), outcome);
    // In half of the cases the power fails before anybody writes again.
    if (seed % 2 === 1) host.crash();
  }
  if (host.crashed) host = host.restart();
  const left = await wholeOf(open(host));
  judge(before, left, outcome);

  // Whoever writes next loses nothing of it; and once more, after the power failed again, so that nothing is left over of a sync that failed.
  let told = left;
  for (const words of ["Next.", "And once more."]) {
    const next = open(host);
    for (const one of told.keys()) await next.add(one, { kind: "comment", body: words }, coder);
    await next.create({ title: words, body: "" }, user);
    host.crash();
    host = host.restart();
    const whole = await wholeOf(open(host));
    assert.equal(whole.size, told.size + 1);
    for (const [one, { events }] of told) {
      const later = whole.get(one)?.events ?? [];
      assert.deepEqual(later.slice(0, -1), events, "what was there is there");
      assert.equal(later.at(-1)?.body, words);
    }
    told = whole;
  }
  await nothingLeft(host, told);
  assert.deepEqual((await open(host).doctor({ fix: false })).problems, []);
  return outcome;
}

function refusedBy(error: YoiError): Outcome {
  assert.ok(
    ["io_failed", "disk_full", "permission_denied"].includes(error.code),
    `${error.code}: ${error.message}`,
  );
  assert.match(error.message, /^Cannot .+; .+\.$/);
  return "refused";
}

/** As before, or as after by one whole event, which is there where it was acknowledged. */
function judge(before: Whole, after: Whole, outcome: Outcome): void {
  let more = 0;
  for (const [id, ticket] of after) {
    const was = before.get(id)?.events ?? [];
    assert.deepEqual(ticket.events.slice(0, was.length), was, "no event is lost, doubled or changed");
    more += ticket.events.length - was.length;
    const said = ticket.events.findLast(({ to }) => to !== undefined);
    assert.equal(ticket.state, said?.to, "the state is what the events say");
    assert.equal(ticket.resolution !== null, ticket.state === "closed");
  }
  for (const id of before.keys()) assert.ok(after.has(id), "no ticket is lost");
  assert.ok(
    more === 1 || (more === 0 && outcome !== "acknowledged"),
    `${outcome}, and ${more} events came in`,
  );
}

/** No file says something else than the thread, and nothing lies about. */
async function nothingLeft({ files }: MemoryHost, whole: Whole): Promise<void> {
  for (const name of await files.list(root)) {
    if (name === ".gitattributes" || name === ".gitignore") continue;
    assert.ok(whole.has(name), `${name} is left over`);
    const ticket = whole.get(name);
    const names = await files.list(`${root}/${name}`);
    const closed = ticket?.state === "closed" ? ["resolution.md"] : [];
    assert.deepEqual(names, ["item.md", ...closed, "thread.md"]);
    const item = Buffer.from((await files.read(`${root}/${name}/item.md`)) ?? []).toString();
    assert.match(item, new RegExp(`^state: ${ticket?.state}$`, "m"), "item.md says the state");
    const resolution = await files.read(`${root}/${name}/resolution.md`);
    if (resolution !== null) assert.equal(Buffer.from(resolution).toString(), `${ticket?.resolution}\n`);
  }
}
