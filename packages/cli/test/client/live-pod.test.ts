/** What a live Pod does not take, what its refusals are to the user, and what its runs are to the output of this program. */
import assert from "node:assert/strict";
import test from "node:test";
import { callId, noCost, noUsage, YoiError } from "@yoi/base";
import {
  ConnectionLost,
  type PodAbout,
  type ProtocolError,
  protocolErrorCodes,
  RequestRefused,
  type RunEnd,
} from "@yoi/protocol";
import { refuseLiveFlags } from "../../src/client/live-flags.ts";
import { reportOf } from "../../src/client/report-of.ts";
import { asYoiError } from "../../src/client/request-error.ts";
import type { PodFlags } from "../../src/compose/pod-flags.ts";

const about: PodAbout = {
  version: "1",
  model: "p/m",
  workspace: "/w",
  sandbox: "on",
  network: false,
  permission_mode: "ask",
  tools: [],
};

test("flags that are what the Pod runs with are fine, and any other is refused by its name", () => {
  const fine: readonly (readonly [PodFlags, string | null])[] = [
    [{}, null],
    [{ model: "p/m", permissionMode: "ask", sandbox: "on" }, "/w"],
  ];
  for (const [flags, workspace] of fine) refuseLiveFlags("x", about, flags, workspace);
  const refused: readonly (readonly [PodFlags, string | null, RegExp])[] = [
    [{ model: "p/other" }, null, /^-m p\/other .* runs with p\/m/],
    [{ permissionMode: "deny-unlisted" }, null, /^--permission-mode deny-unlisted/],
    [{ sandbox: "off" }, null, /^--sandbox off/],
    [{ baseUrl: "http://a" }, null, /^--base-url http:\/\/a/],
    [{ maxTurns: 3 }, null, /^--max-turns 3/],
    [{ maxTokens: 5 }, null, /^--max-tokens 5/],
    [{ maxCost: 0.5 }, null, /^--max-cost 0\.5/],
    [{}, "/other", /^-C \/other .* runs with \/w/],
  ];
  for (const [flags, workspace, sentence] of refused)
    assert.throws(
      () => refuseLiveFlags("x", about, flags, workspace),
      (error) => error instanceof YoiError && error.code === "usage" && sentence.test(error.message),
      String(sentence),
    );
});

test("a refusal keeps its cause where the program knows it, and every code is one sentence", () => {
  const codeOf = (error: ProtocolError): string => {
    const failure = asYoiError(new RequestRefused(error), "x");
    assert.ok(failure instanceof YoiError && /^[^\n]+[.:)]$/.test(failure.message), error.code);
    return failure.code;
  };
  assert.deepEqual(
    protocolErrorCodes.map((code) => codeOf({ code, message: "Because." })),
    [
      "already_running",
      "not_running",
      "nothing_to_resume",
      "model_failed",
      "io_failed",
      "usage",
      "pod_unreachable",
      "unauthorized",
      "unauthorized",
      "protocol_unsupported",
      "pod_unreachable",
      "pod_unreachable",
    ],
  );
  for (const cause of ["inbox_full", "compaction_failed", "rewind_refused", "target_unknown"])
    assert.equal(codeOf({ code: "invalid_request", message: "Full.", cause }), cause);
  assert.equal(codeOf({ code: "invalid_request", message: "Odd.", cause: "of a later version" }), "usage");
  const newer = asYoiError(
    new RequestRefused({
      code: "protocol_unsupported",
      message: "Version 1 was asked for",
      versions: [3, 2],
    }),
    "x",
  );
  assert.match(String(newer), /speaks version 3, 2 of the protocol/);
  const lost = asYoiError(new ConnectionLost("gone"), "x");
  assert.ok(lost instanceof YoiError && lost.code === "pod_unreachable");
  const bug = new TypeError("a bug");
  assert.equal(asYoiError(bug, "x"), bug);
});

test("the end of a run in another process is that of one in this", () => {
  const ends: readonly (readonly [RunEnd, object])[] = [
    [
      { kind: "finished", text: "Done." },
      { kind: "finished", text: "Done." },
    ],
    [
      { kind: "limit_reached", limit: "turns", max: 3 },
      { kind: "limit_reached", limit: "turns", max: 3 },
    ],
    [
      { kind: "limit_reached", limit: "time", max: 5_000 },
      { kind: "limit_reached", limit: "time", maxMs: 5_000 },
    ],
    [
      { kind: "paused", reason: "user", detail: "stopped", until: null },
      { kind: "paused", reason: "user", detail: "stopped" },
    ],
    [
      { kind: "paused", reason: "provider_limit", detail: "later", until: 9 },
      { kind: "paused", reason: "provider_limit", detail: "later", until: 9 },
    ],
    [{ kind: "cancelled" }, { kind: "cancelled" }],
    [{ kind: "rolled_back" }, { kind: "rolled_back", invoke: 7 }],
    [
      { kind: "failed", failure: "auth", message: "No key.", retryable: false },
      { kind: "failed", failure: { kind: "auth", message: "No key.", retryable: false } },
    ],
  ];
  const denial = { call: callId(4, 0), tool: "Bash", target: "ls", reason: "rule 1", kind: "asked" } as const;
  for (const [end, outcome] of ends) {
    const report = reportOf({
      run: "7",
      end,
      followed: [{ kind: "cancelled" }],
      turns: 2,
      usage: noUsage,
      cost: noCost,
      denials: [denial],
      permission_needed: true,
    });
    assert.deepEqual(report, {
      outcome,
      followed: [{ kind: "cancelled" }],
      accepted: true,
      turns: 2,
      usage: noUsage,
      cost: noCost,
      denials: [denial],
      permissionNeeded: true,
    });
  }
});
