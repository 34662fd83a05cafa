/** The crash stories, and their controls: planted bugs must be found, and a failing seed must play the same again. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AppendFile, Files } from "@yoi/host";
import { proofTest } from "../support/proof.ts";
import { crashRestart } from "./crash-restart.proof.ts";
import { playStory, type WrapFiles } from "./crash-restart.ts";

proofTest(crashRestart);

/** Replaces some calls of every append file. */
function withFile(change: (file: AppendFile) => Partial<AppendFile>): WrapFiles {
  const wrapped = (file: AppendFile): AppendFile => {
    const changed = change(file);
    return {
      get bytes() {
        return file.bytes;
      },
      append: changed.append ?? ((data) => file.append(data)),
      sync: changed.sync ?? (() => file.sync()),
      truncate: changed.truncate ?? ((bytes) => file.truncate(bytes)),
      stat: () => file.stat(),
      close: () => file.close(),
    };
  };
  return (files): Files => ({
    ...files,
    openAppend: async (path) => wrapped(await files.openAppend(path)),
    createAppend: async (path) => wrapped(await files.createAppend(path)),
  });
}

const planted: { readonly [name: string]: WrapFiles } = {
  "a dropped fsync": withFile(() => ({ sync: async () => {} })),
  "an acknowledgement before the sync": withFile((file) => ({
    sync: async () => void file.sync().catch(() => {}),
  })),
  "a double append": withFile((file) => ({
    async append(data) {
      await file.append(data);
      await file.append(data);
    },
  })),
  "a dropped directory sync": (files) => ({ ...files, syncDirectory: async () => {} }),
  "a failed write that is not cut away": withFile(() => ({ truncate: async () => {} })),
  "a failed sync that is tried again": withFile((file) => ({
    sync: () => file.sync().catch(() => file.sync()),
  })),
};

describe("controls", () => {
  for (const [name, wrap] of Object.entries(planted)) {
    test(`${name} is found, and its seed plays the same again`, async (t) => {
      for (let seed = 0; seed < 300; seed += 1) {
        const first = await playStory(seed, wrap);
        if (first.failure === null) continue;
        t.diagnostic(`seed ${seed}: ${first.failure.slice(0, 120)}`);
        assert.deepEqual(await playStory(seed, wrap), first);
        return;
      }
      assert.fail("no seed found it");
    });
  }

  test("the same seed plays the same, another one does not", async () => {
    assert.deepEqual(await playStory(5), await playStory(5));
    assert.notEqual((await playStory(5)).trace, (await playStory(6)).trace);
  });
});
