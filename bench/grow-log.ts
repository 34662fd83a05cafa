/** Makes the log of a Pod that nobody hosts longer, through yoi's own store. */
import { type EntryBody, segmentId, sessionId } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { createSessionStore } from "@yoi/session-store";
import { findLog } from "../test/support/stored-log.ts";

/** Of the size that entries of a run have on average. */
function entry(index: number): EntryBody {
  const text = `Line ${index} of what was told. `.padEnd(440, `${index} lorem ipsum dolor `);
  return { kind: "user_input", parts: [{ type: "text", text }] };
}

/** Gives the log's path back. `entries`: how many come to what is there. `make`: the entry with this index among them. */
export async function growLog(
  dataDir: string,
  pod: string,
  entries: number,
  make: (index: number) => EntryBody = entry,
): Promise<string> {
  const path = findLog(dataDir, pod);
  const [, session, segment] = /sessions\/([^/]+)\/([^/]+)\.jsonl$/.exec(path ?? "") ?? [];
  if (path === null || session === undefined || segment === undefined)
    throw new Error(`there is no log of ${pod} below ${dataDir}`);
  const { files, clock } = nodeHost();
  const store = createSessionStore({ files, clock, dataDir });
  const ref = { session: sessionId(session), segment: segmentId(segment) };
  const { writer } = await store.open(ref, { metadataEpoch: 0, version: "bench" });
  for (let from = 0; from < entries; from += 1000)
    await writer.append(
      Array.from({ length: Math.min(1000, entries - from) }, (_, index) => make(from + index)),
    );
  await writer.close();
  return path;
}
