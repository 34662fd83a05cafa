/** What a Pod keeps of its model, and that a drawn name is nobody else's. */
import assert from "node:assert/strict";
import test from "node:test";
import { podName, type SegmentId, type SessionId } from "@yoi/base";
import { type Manifest, resolveManifest } from "@yoi/manifest";
import type { RunFlags } from "../../src/commands/run.ts";
import { flagLayer, makePodSetup } from "../../src/compose/pod-setup.ts";
import { openStores } from "../../src/compose/stores.ts";
import type { Environment } from "../../src/environment.ts";

const plain: RunFlags = { outputFormat: "text" };
const proxy = "http://proxy.test";

function keptWith(base_url: string | undefined): Manifest {
  const { manifest } = resolveManifest({
    layers: {},
    flags: { model: "anthropic/one", ...(base_url === undefined ? {} : { baseUrl: base_url }) },
    workspace: "/w",
    defaultScope: { allow: [], deny: [] },
    defaultModel: "anthropic/one",
  });
  return manifest;
}

for (const [flags, kept, expected] of [
  [{}, undefined, { model: "anthropic/one" }],
  [{}, proxy, { model: "anthropic/one", baseUrl: proxy }],
  [{ model: "anthropic/two" }, proxy, { model: "anthropic/two", baseUrl: proxy }],
  [{ model: "scripted/s.yaml" }, proxy, { model: "scripted/s.yaml" }],
  [
    { model: "anthropic/two", baseUrl: "http://other.test" },
    proxy,
    { model: "anthropic/two", baseUrl: "http://other.test" },
  ],
  [{ baseUrl: "http://other.test" }, proxy, { model: "anthropic/one", baseUrl: "http://other.test" }],
] as const) {
  test(`flags ${JSON.stringify(flags)} on a Pod of anthropic/one at ${kept ?? "no base URL"}`, () => {
    assert.deepEqual(flagLayer({ ...plain, ...flags }, keptWith(kept)), expected);
  });
}

test("a Pod that is there already is not continued under a drawn name", async () => {
  const environment: Environment = {
    variables: {},
    directories: { config: "/nowhere/c", data: "/nowhere/d", runtime: "/nowhere/r" },
    workingDirectory: () => "/nowhere",
    home: null,
    stdin: "other",
    stdoutIsTerminal: false,
    stderr: { isTerminal: false, columns: 80 },
  };
  const name = podName("work-80ca");
  const stored = {
    name,
    pointer: { state: "active", session: "s" as SessionId, segment: "g" as SegmentId },
    closedHead: null,
    epoch: 1,
    manifest: {},
    revision: 1,
    createdMs: 0,
    updatedMs: 0,
  } as const;
  const setup = makePodSetup({
    name,
    stored,
    workspace: null,
    flags: plain,
    environment,
    stores: openStores(environment),
    mustExist: false,
    mustBeNew: true,
    say: (text) => assert.fail(text),
  });
  await assert.rejects(setup, { code: "pod_exists" });
});
