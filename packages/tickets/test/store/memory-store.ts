/** A store over the simulated disk, who acts in tests, and what a root holds. */
import assert from "node:assert/strict";
import { YoiError } from "@yoi/base";
import { type MemoryHost, memoryHost } from "@yoi/host";
import { type Actor, createTicketStore, type TicketState, type TicketStore } from "../../src/index.ts";

/** When the clock of a simulated machine begins. */
export const startMs = Date.UTC(2026, 0, 1);

export const root = "/project/.yoi/tickets";

export const user: Actor = { author: "hare", role: "user" };
export const intake: Actor = { author: "desk", role: "intake" };
export const orchestrator: Actor = { author: "lead", role: "orchestrator" };
export const coder: Actor = { author: "hands", role: "coder" };
export const reviewer: Actor = { author: "eyes", role: "reviewer" };

export interface MemoryStore {
  readonly host: MemoryHost;
  readonly store: TicketStore;
  /** Links that a test plants: the simulated disk has none. */
  readonly links: Set<string>;
}

export function memoryStore(host: MemoryHost = memoryHost({ seed: 1 })): MemoryStore {
  const links = new Set<string>();
  const kindAt = async (path: string) =>
    links.has(path) ? "link" : ((await host.files.stat(path))?.kind ?? null);
  return { host, links, store: createTicketStore({ ...host, kindAt, root }) };
}

/** A ticket in a state, brought there by a person on the legal way. */
export async function ticketIn(state: TicketState, store: TicketStore, title = "A ticket"): Promise<string> {
  const { id } = await store.create({ title, body: "" }, user);
  const way = ["ready", "queued", "inprogress", "done"] as const;
  if (state === "closed") await store.close(id, "Closed.", user);
  else if (state !== "planning")
    for (const to of way.slice(0, way.indexOf(state) + 1)) await store.transition(id, { to }, user);
  return id;
}

export async function textAt({ host }: Pick<MemoryStore, "host">, path: string): Promise<string | null> {
  const bytes = await host.files.read(`${root}/${path}`);
  return bytes === null ? null : Buffer.from(bytes).toString();
}

/** Every file below the root with what is in it: that nothing changed is one comparison. */
export async function wholeRoot({
  host: { files },
}: Pick<MemoryStore, "host">): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const walk = async (path: string): Promise<void> => {
    const stat = await files.stat(path);
    if (stat?.kind === "file") found[path] = Buffer.from((await files.read(path)) ?? []).toString();
    else for (const name of await files.list(path)) await walk(`${path}/${name}`);
  };
  await walk(root);
  return found;
}

/** For `assert.rejects`. */
export function refusedWith(code: string, message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof YoiError, String(error));
    assert.match(error.message, message);
    assert.equal(error.code, code);
    return true;
  };
}
