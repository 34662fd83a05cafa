/** A drawn name is nobody else's. */
import assert from "node:assert/strict";
import test from "node:test";
import { podName, type SegmentId, type SessionId } from "@yoi/base";
import type { RunFlags } from "../../src/commands/run.ts";
import { makePodSetup } from "../../src/compose/pod-setup.ts";
import { openStores } from "../../src/compose/stores.ts";
import { nobodysEnvironment } from "../client/nobodys-environment.ts";

const plain: RunFlags = { outputFormat: "text" };
test("a Pod that is there already is not continued under a drawn name", async () => {
  const environment = nobodysEnvironment;
  const name = podName("work-80ca");
  const stored = {
    name,
    pointer: { state: "active", session: "s" as SessionId, segment: "g" as SegmentId },
    closedHead: null,
    epoch: 1,
    manifest: {},
    parent: null,
    children: [],
    reclaimed: [],
    peers: [],
    revision: 1,
    createdMs: 0,
    updatedMs: 0,
  } as const;
  const setup = makePodSetup({
    name,
    stored,
    lent: null,
    workspace: null,
    flags: plain,
    environment,
    stores: openStores(environment),
    mustExist: false,
    mustBeNew: true,
    managesPods: false,
    say: (text) => assert.fail(text),
    signal: new AbortController().signal,
  });
  await assert.rejects(setup, { code: "pod_exists" });
});
