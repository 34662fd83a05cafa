/** The log as a power cut would leave it at this very moment, decoded. */
import assert from "node:assert/strict";
import type { LogEntry } from "@yoi/base";
import type { MemoryHost } from "@yoi/host";
import { decodeLog, type DetachedEntry, segmentPath, type SegmentRef } from "@yoi/session-store";
import { attachPayload } from "../../packages/session-store/src/log-entry.ts";
import { blobPath } from "../../packages/session-store/src/segment-path.ts";
import { dataDir } from "../support/simulated-pod.ts";

/** Looks through the simulated disk, without an operation. A log that has not grown is not decoded again. */
export class DurableLog {
  readonly #host: MemoryHost;
  #bytes = -1;
  #entries: readonly LogEntry[] = [];

  constructor(host: MemoryHost) {
    this.#host = host;
  }

  entries(ref: SegmentRef | null): readonly LogEntry[] {
    if (ref === null) return [];
    const path = segmentPath(dataDir, ref);
    const bytes = this.#host.disk.durable(path) ?? new Uint8Array(0);
    if (bytes.length === this.#bytes) return this.#entries;
    const log = decodeLog(Buffer.from(bytes), { path });
    assert.deepEqual(
      [log.damage, log.tail.state],
      [null, "none"],
      "a power cut now would leave a log that is not clean",
    );
    this.#bytes = bytes.length;
    this.#entries = log.entries.map((entry) => ("detached" in entry ? this.#attached(ref, entry) : entry));
    return this.#entries;
  }

  #attached({ session }: SegmentRef, entry: DetachedEntry): LogEntry {
    const blob = this.#host.disk.durable(blobPath(dataDir, session, entry.blob.sha256));
    assert.ok(blob !== null, `entry ${entry.seq} is durable before its blob is`);
    const whole = attachPayload(entry, Buffer.from(blob).toString());
    assert.ok("entry" in whole);
    return whole.entry;
  }
}
