/** UUID v7, strictly increasing within a process: the counter in its 12 bits decides inside one millisecond. */
import type { Clock, Ids } from "@yoi/base";

const counterMax = 0xfff;

/** @param randomBytes fills the rest: unpredictable on a real machine, seeded in a simulated one. */
export function createIds(clock: Clock, randomBytes: (count: number) => Uint8Array): Ids {
  let lastMs = -1;
  let counter = 0;
  return {
    uuidV7() {
      const bytes = Buffer.from(randomBytes(16));
      const nowMs = Math.max(0, Math.floor(clock.now()));
      if (nowMs > lastMs) {
        lastMs = nowMs;
        // Starts in the lower half, so that a burst has room before it borrows from the next millisecond.
        counter = bytes.readUInt16BE(6) & (counterMax >> 1);
      } else if (counter < counterMax) {
        counter += 1;
      } else {
        lastMs += 1;
        counter = 0;
      }
      bytes.writeUIntBE(lastMs, 0, 6);
      bytes.writeUInt16BE(0x7000 | counter, 6);
      bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
      const hex = bytes.toString("hex");
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },
  };
}
