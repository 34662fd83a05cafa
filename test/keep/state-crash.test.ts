/** Crashes of feature state, and a store that they do harm to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "@yoi/base";
import type { AppendFile, MemoryHost } from "@yoi/host";
import { overriding } from "../support/overriding.ts";
import { proofTest } from "../support/proof.ts";
import { crashCase, openKept } from "./state-crash.ts";
import { stateCrash } from "./state-crash.proof.ts";

proofTest(stateCrash);

test("cases in which a value was lost, or taken for damaged, hold", async () => {
  for (const seed of [3632, 5832, 6736, 10_516]) await crashCase(seed);
});

test("control: without the sync of what is appended, cases of the same seeds lose what was acknowledged", async () => {
  const unsynced = ({ files, ...host }: MemoryHost) => {
    const without = async (opened: Promise<AppendFile>): Promise<AppendFile> => {
      const file = await opened;
      return overriding(file, { sync: async () => undefined });
    };
    const openAppend = (path: string) => without(files.openAppend(path));
    const createAppend = (path: string) => without(files.createAppend(path));
    return openKept({ ...host, files: { ...files, openAppend, createAppend } });
  };
  const cases = await Promise.allSettled(Array.from({ length: 50 }, (_, seed) => crashCase(seed, unsynced)));
  const lost = cases.filter((each) => each.status === "rejected").map(({ reason }) => String(reason));
  assert.ok(
    lost.some((reason) => /was lost|is damaged/.test(reason)),
    "nothing was lost",
  );
});

test("control: a store that reads, compares and replaces one file lets two writers win in the same cases", async () => {
  const path = "/data/state.json";
  const naive = ({ files }: MemoryHost) => {
    const read = async () => {
      const bytes = await files.read(path);
      if (bytes === null) return null;
      return JSON.parse(Buffer.from(bytes).toString()) as {
        version: number;
        revision: number;
        value: JsonValue;
      };
    };
    return {
      read,
      write: async (
        value: JsonValue,
        { version, expected }: { readonly version: number; readonly expected: number | null },
      ) => {
        const found = (await read())?.revision ?? null;
        if (found !== expected) throw new Error("another write came first");
        const revision = (expected ?? 0) + 1;
        await files.makeDirectory("/data");
        await files.replace(path, Buffer.from(JSON.stringify({ version, revision, value })));
        return revision;
      },
    };
  };
  await assert.rejects(crashCase(1, naive), /2 writers won one revision/);
});
