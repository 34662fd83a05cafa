/** The manifest of each released format is read for ever: what a Pod of an earlier version runs with, whatever was added since. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import type { JsonObject } from "@yoi/base";
import { manifestToJson, parseManifest } from "../src/index.ts";

const golden = new URL("../../pod-store/test/golden/metadata-1.json", import.meta.url);

test("schema 1, before the web, file uploads and definitions of providers", () => {
  const { manifest: stored } = JSON.parse(readFileSync(golden, "utf8")) as { manifest: JsonObject };
  const manifest = parseManifest(stored, "metadata-1.json");
  const { workspace, model, permissions, sandbox, limits, web } = manifest;
  assert.deepEqual(
    { workspace, model, rules: permissions.rules.length, sandbox, limits, web },
    {
      workspace: "/tmp/site",
      model: {
        provider: "anthropic",
        id: "claude-sonnet-4-5",
        base_url: "http://127.0.0.1:9",
        max_output_tokens: 4096,
        temperature: 0.5,
      },
      rules: 1,
      sandbox: { mode: "on", network: false },
      limits: { max_turns: 50, tool_output_bytes: 65_536, file_upload_bytes: 262_144 },
      web: { allow_private_addresses: false, fetch: null, search: null },
    },
  );
  assert.deepEqual(parseManifest(manifestToJson(manifest), "again"), manifest);
});
