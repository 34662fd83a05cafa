/** The first kills of a family, and the control: a parent whose loan is struck from its metadata while it is dead. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { podName } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { createPodStore } from "@yoi/pod-store";
import { proofTest } from "../support/proof.ts";
import { childrenKill } from "./children-kill.proof.ts";
import { child, type Family, parent } from "./family.ts";
import { killed } from "./kill-points.ts";

proofTest(childrenKill);

for (const alsoRegistry of [false, true]) {
  test(`the control: a parent that forgot its loan${alsoRegistry ? ", and the registry too," : ""} is found out: it does not open while the child lives`, async () => {
    const forget = async (family: Family): Promise<void> => {
      const dataDir = family.hosting.home.home;
      const pods = createPodStore({ ...nodeHost(), dataDir });
      const record = await pods.read(podName(parent));
      assert.ok(record !== null);
      await pods.reclaimChild(record.name, record, podName(child), { reason: "lost", atMs: 0 });
      if (alsoRegistry) rmSync(join(dataDir, "registry.sqlite"));
    };
    await assert.rejects(killed({ point: "the child is live", victim: "parent", lateMs: 0 }, forget), {
      message: /ended before it wrote [^]*could write "/,
    });
  });
}
