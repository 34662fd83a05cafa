/** Tickets in a manifest: off unless the user switches them on, in the role and with the right to close that the user gives. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConfigLayers, parseConfig, resolveManifest } from "../src/index.ts";

const layer = (path: string, trust: "user" | "project", text: string) => parseConfig(text, { path, trust });

function resolved(layers: ConfigLayers) {
  const { manifest, sources } = resolveManifest({
    layers,
    flags: {},
    workspace: "/w",
    defaultScope: { allow: [], deny: [] },
    defaultModel: "a/b",
  });
  const { features, tickets } = manifest;
  const from = ["features.tickets", "tickets.role", "tickets.close"].map(
    (key) => sources.find((source) => source.key === key)?.origin,
  );
  return [features.tickets.enabled, tickets.role, tickets.close, ...from];
}

const coder = '[features]\ntickets = true\n[tickets]\nrole = "coder"\n';
const leading = '[features]\ntickets = true\n[tickets]\nrole = "orchestrator"\nclose = true\n';
const none = "[features]\ntickets = false\n[tickets]\nclose = false\n";

for (const [name, layers, expected] of [
  ["nobody says anything", {}, [false, "intake", false, "built-in", "built-in", "built-in"]],
  [
    "the user's file",
    { user: layer("/c", "user", leading) },
    [true, "orchestrator", true, "/c:2", "/c:4", "/c:5"],
  ],
  [
    "a profile of the user's before their file: it says nothing of closing, which their file delegated",
    { user: layer("/c", "user", leading), profiles: [layer("/p", "user", coder)] },
    [true, "coder", true, "/p:2", "/p:4", "/c:5"],
  ],
  [
    "a file of the workspace takes away what the user gives, and the role stays",
    { user: layer("/c", "user", leading), project: layer("/w", "project", none) },
    [false, "orchestrator", false, "/w:2", "/c:4", "/w:4"],
  ],
  [
    "a profile of the workspace that extends one of the user's",
    { profiles: [layer("/q", "project", 'worker.language = "x"\n'), layer("/p", "user", coder)] },
    [true, "coder", false, "/p:2", "/p:4", "built-in"],
  ],
] as const)
  test(name, () => assert.deepEqual(resolved(layers), expected));
