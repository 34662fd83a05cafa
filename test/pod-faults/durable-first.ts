/** I1, I4 and I5 at the moment itself: what leaves the machine is on the platter already, before anybody crashes. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { itemOf, type LogEntry } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { replay } from "@yoi/session-store";
import { buildRequest } from "@yoi/worker";
import type { Plant } from "./crash-restore.ts";
import { DurableLog } from "./durable-log.ts";
import { entriesOf, judgeTold } from "./judge.ts";
import { live, type Machine, type Owner, plainOwner } from "./life.ts";
import type { Session } from "./session.ts";
import { type SentRequest, Witness } from "./witness.ts";

/** Runs the session; throws at the first thing that leaves the machine and is not durable. Returns how many requests and effects were looked at. */
export async function watchDurable(
  session: Session,
  seed: number,
  owner: Owner = plainOwner,
  lies: Plant["lies"] = () => false,
): Promise<{ readonly requests: number; readonly effects: number; readonly told: number }> {
  const witness = new Witness();
  const host = memoryHost({ seed });
  host.disk.plan = (operation) => (lies(operation) ? "lie" : "pass");
  const log = new DurableLog(host);
  const problems: unknown[] = [];
  const looked = { requests: 0, effects: 0, told: 0 };
  const look = (check: (entries: readonly LogEntry[]) => void) => {
    try {
      check(log.entries(witness.ledger.ref));
    } catch (error) {
      problems.push(error);
    }
  };
  witness.ports = {
    sending: (sent) => {
      looked.requests += 1;
      look((entries) => isOnRecord(sent, entries));
    },
    acting: (call) => {
      looked.effects += 1;
      look((entries) => {
        const started = entriesOf(entries, "tool_started").some((entry) => entry.call === call);
        assert.ok(started, `the call ${call} has its effect before it is on record as started`);
      });
    },
    passed: (boundary) => {
      if (boundary !== "told") return;
      looked.told += 1;
      look((entries) => judgeTold(witness.told.slice(-1), entries, "now"));
    },
  };
  const machine: Machine = { host, leases: new Map(), session, witness, owner };
  await live(machine);
  if (problems.length > 0) throw problems[0];
  return looked;
}

/** The record of the request is durable, and rebuilding it from what is durable up to there gives the very request. */
function isOnRecord({ request, wire }: SentRequest, entries: readonly LogEntry[]): void {
  for (const { seq, item } of request.items) {
    const entry = entries[seq];
    const stored = entry === undefined ? null : itemOf(entry);
    assert.ok(
      isDeepStrictEqual(stored, item),
      `item ${seq} (${item.type}) is in a request before it is durable`,
    );
  }
  const record = entriesOf(entries, "llm_request").findLast(({ wire: { sha256 } }) => sha256 === wire.sha256);
  assert.ok(record !== undefined, "a request is sent before its record is durable");
  const state = replay(entries.slice(0, record.seq));
  const head = { system: state.prompt, tools: state.tools, config: state.config };
  const rebuilt = buildRequest(head, state.items, record.projection);
  assert.ok(isDeepStrictEqual(rebuilt, request), "a request is not the one that its log gives");
}
