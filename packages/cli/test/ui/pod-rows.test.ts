/** How a Pod stands in a list, and which one `yoi` opens. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PodSummary } from "@yoi/pod";
import type { UiOpen } from "@yoi/tui";
import type { PodNow } from "../../src/client/pod-now.ts";
import { openOf } from "../../src/commands/choose-open.ts";
import { podsOf } from "../../src/commands/choose-pod.ts";
import { rowOf } from "../../src/ui/pod-rows.ts";

const stopped: PodSummary = {
  name: "site",
  title: "the site",
  workspace: "/w",
  model: "scripted/a",
  ownerPid: null,
  ownerPurpose: null,
  parent: null,
  isOrphan: false,
  children: [],
  peers: [],
  updatedMs: 0,
  usedMs: 5,
  active: null,
  unreadable: null,
};
const hosted: PodSummary = { ...stopped, ownerPid: 77, ownerPurpose: "host" };
const idle: PodNow = {
  state: "idle",
  approvals: 0,
  sandbox: "on",
  network: false,
  permission_mode: "allow-in-scope",
};
const log = { lastLine: "done", paused: null, bytes: 7 };

describe("a row", () => {
  const unreadable = { fault: "damaged", error: "Its metadata is damaged." } as const;
  const cases: readonly (readonly [
    what: string,
    row: Parameters<typeof rowOf>,
    standing: string,
    detail: string,
  ])[] = [
    ["stopped", [stopped, null, log], "stopped", ""],
    ["stopped while paused", [stopped, null, { ...log, paused: "paused" }], "stopped", "paused"],
    ["idle", [hosted, idle, log], "idle", ""],
    ["running", [hosted, { ...idle, state: "running" }, log], "running", ""],
    ["compacting", [hosted, { ...idle, state: "running", compacting: true }, log], "running", "compacting"],
    [
      "paused with a time",
      [
        hosted,
        { ...idle, state: "paused", paused: { reason: "provider_limit", until: Date.UTC(2026, 0, 2, 3, 4) } },
        log,
      ],
      "paused",
      "paused until 2026-01-02 03:04 (provider limit)",
    ],
    ["waiting for the user", [hosted, { ...idle, state: "running", approvals: 2 }, log], "waiting", ""],
    [
      "without its safeguards",
      [hosted, { ...idle, sandbox: "off", permission_mode: "ask" }, log],
      "idle",
      "sandbox off, permission mode ask",
    ],
    ["silent", [hosted, null, log], "silent", "its process 77 does not answer"],
    [
      "in a run of another program",
      [{ ...hosted, ownerPurpose: "run" }, null, log],
      "running",
      "in another yoi, process 77: not to be attached to",
    ],
    ["corrupt", [{ ...stopped, unreadable }, null, log], "corrupt", "Its metadata is damaged."],
    ["alive behind damaged metadata", [{ ...hosted, unreadable }, idle, log], "idle", ""],
    [
      "silent behind damaged metadata",
      [{ ...hosted, unreadable }, null, log],
      "silent",
      "Its metadata is damaged.",
    ],
  ];
  for (const [what, args, standing, detail] of cases) {
    test(what, () => {
      const row = rowOf(...args);
      assert.deepEqual([row.standing, row.detail], [standing, detail]);
      assert.deepEqual(
        [row.name, row.title, row.workspace, row.model, row.usedMs, row.lastLine, row.bytes],
        ["site", "the site", "/w", "scripted/a", 5, "done", 7],
      );
      assert.equal(row.approvals, args[1]?.approvals ?? 0);
    });
  }
});

describe("what yoi opens", () => {
  const pod = (name: string, more: Partial<PodSummary> = {}): PodSummary => ({ ...stopped, name, ...more });
  const live = (name: string, more: Partial<PodSummary> = {}): PodSummary => ({ ...hosted, name, ...more });
  const opened = (name: string): UiOpen => ({ kind: "pod", name, restores: true, prompt: null });
  const anew: UiOpen = { kind: "new", name: null, choices: {}, prompt: null };
  const picker: UiOpen = { kind: "picker" };
  const cases: readonly (readonly [string, readonly PodSummary[], readonly string[], UiOpen])[] = [
    ["none: a new one", [], [], anew],
    ["one of another directory: a new one", [pod("a", { workspace: "/x" })], [], anew],
    ["the last used one", [pod("a", { usedMs: 1 }), pod("b", { usedMs: 2 })], [], opened("b")],
    [
      "the live one, though another was used later",
      [live("a", { usedMs: 1 }), pod("b", { usedMs: 2 })],
      [],
      opened("a"),
    ],
    ["several that live: the list", [live("a"), live("b"), pod("c")], [], picker],
    ["of several that live the one that waits", [live("a"), live("b")], ["b"], opened("b")],
    ["several that wait: the list", [live("a"), live("b"), live("c")], ["a", "b"], picker],
    ["no child", [live("kid", { parent: "a" }), pod("a", { usedMs: 1 })], ["kid"], opened("a")],
    ["an orphan", [pod("kid", { parent: "gone", isOrphan: true })], [], opened("kid")],
    ["only children: a new one", [pod("kid", { parent: "a" })], [], anew],
    ["one whose process answers nobody", [live("mute")], [], opened("mute")],
  ];
  for (const [what, pods, waiting, wanted] of cases) {
    test(what, () => {
      const now = new Map(
        pods.map(({ name }) => [
          name,
          name === "mute" ? null : { ...idle, approvals: waiting.includes(name) ? 1 : 0 },
        ]),
      );
      assert.deepEqual(openOf(podsOf("/w", pods), now), wanted);
    });
  }
});
