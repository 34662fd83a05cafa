/** A root of tickets as a test writes it down: paths and texts, and links and special files that the disk in memory does not have. */
import { dirname, join } from "node:path/posix";
import { type MemoryHost, memoryHost } from "@yoi/host";
import type { KindAt, TicketDesk } from "../../src/place.ts";
import { renderEvent } from "../../src/render-event.ts";
import type { TicketEvent } from "../../src/ticket.ts";

export const workspace = "/w";
export const root = "/w/.yoi/tickets";
/** Of the clock, in every tree: 2026-06-10T00:00:00Z. */
export const nowMs = Date.UTC(2026, 5, 10);

/** By path below the root; `/` at its end: an empty folder; null: not there. */
export type Tree = Readonly<Record<string, string | Uint8Array | null>>;
export type Odd = Readonly<Record<string, "link" | "other">>;

export interface PlantedRoot {
  readonly host: MemoryHost;
  readonly desk: TicketDesk;
}

export async function plant(tree: Tree, odd: Odd = {}): Promise<PlantedRoot> {
  const host = memoryHost({ seed: 7, startMs: nowMs });
  for (const [path, content] of Object.entries(tree)) {
    if (content === null) continue;
    const whole = join(root, path);
    await host.files.makeDirectory(path.endsWith("/") ? whole : dirname(whole));
    if (!path.endsWith("/")) await host.files.replace(whole, Buffer.from(content));
  }
  return { host, desk: deskOf(host, odd) };
}

export function deskOf(host: MemoryHost, odd: Odd = {}): TicketDesk {
  const kindAt: KindAt = async (path) =>
    odd[path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path] ??
    (await host.files.stat(path))?.kind ??
    null;
  return { files: host.files, locks: host.locks, clock: host.clock, kindAt, root };
}

/** Every file below a folder with its bytes, as Latin-1; a folder with nothing in it ends in `/`. */
export async function readTree(
  { files }: Pick<MemoryHost, "files">,
  folder: string,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  async function walk(below: string): Promise<void> {
    const names = await files.list(join(folder, below));
    if (names.length === 0 && below !== "") found[`${below}/`] = "";
    for (const name of names) {
      const path = below === "" ? name : `${below}/${name}`;
      if ((await files.stat(join(folder, path)))?.kind === "directory") await walk(path);
      else found[path] = Buffer.from((await files.read(join(folder, path))) ?? []).toString("latin1");
    }
  }
  await walk("");
  return found;
}

export const hare = { author: "hare", role: "user" } as const;

/** An event of 2026-06-03, its number the last three digits of its second and its id. */
export function event(number: number, said: Partial<TicketEvent> & { readonly kind: string }): string {
  return renderEvent({
    id: `00001KT6Q0${String(number).padStart(3, "0")}`,
    ...hare,
    at: `2026-06-03T12:23:17.${String(number).padStart(3, "0")}Z`,
    body: "",
    ...said,
  });
}

export function thread(...events: readonly string[]): string {
  return events.join("\n");
}

export function item(said: Readonly<Record<string, string | null>> = {}, body = "What it is about."): string {
  const fields = {
    title: "A ticket",
    state: "planning",
    created_at: "2026-06-03T12:23:17.000Z",
    updated_at: "2026-06-03T12:23:17.000Z",
    ...said,
  };
  const lines = Object.entries(fields).flatMap(([key, value]) =>
    value === null ? [] : [`${key}: ${value}`],
  );
  return `---\n${lines.join("\n")}\n---\n\n${body}\n`;
}

export const gitFiles: Tree = {
  ".gitattributes": "*/thread.md merge=union\n",
  ".gitignore": "/.lock\n.*.tmp\n",
};
