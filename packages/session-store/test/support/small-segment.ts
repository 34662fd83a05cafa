/** A small segment on the simulated disk, and its bytes. */
import type { MemoryHost } from "@yoi/host";
import { createSessionStore, segmentPath } from "../../src/index.ts";
import { input, opening, refOf, startOf } from "../conformance.ts";

export const dataDir = "/data";

/** A closed segment that holds these inputs. */
export async function segmentWith(host: MemoryHost, texts: readonly string[]) {
  const store = createSessionStore({ ...host, dataDir });
  const start = startOf(host.ids);
  const { writer } = await store.create(start, opening);
  for (const text of texts) await writer.append([input(text)]);
  await writer.close();
  const ref = refOf(start);
  const path = segmentPath(dataDir, ref);
  const log = Buffer.from((await host.files.read(path)) ?? []);
  return { store, ref, path, log };
}

export const read = async (host: MemoryHost, path: string) =>
  Buffer.from((await host.files.read(path)) ?? []);
