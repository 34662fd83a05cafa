/** The state table and the roles, cell by cell: what this page says is what was agreed on. */
import assert from "node:assert/strict";
import test from "node:test";
import {
  mayCall,
  type MethodName,
  methodsOfRole,
  podStates,
  protocolErrorCodes,
  roles,
  type StateCell,
  stateTable,
  streamRoles,
} from "../src/index.ts";
import { calls } from "./support/sample-lines.ts";

const methods = [...new Set(calls.map((call) => call.method))];

test("every cell of the state table is as agreed, and every refusal in it is an error code", () => {
  const agreed: readonly (readonly [MethodName, ...StateCell[]])[] = [
    //                  idle             running            paused
    ["ping", "take", "take", "take"],
    ["show", "take", "take", "take"],
    ["submit", "take", "already_running", "take"],
    ["notify", "take", "take", "take"],
    ["resume", "if_unfinished", "already_running", "take"],
    ["cancel", "not_running", "take", "take"],
    ["pause", "not_running", "take", "nothing"],
    ["answer_approval", "take", "take", "take"],
    ["pod_event", "take", "take", "take"],
    ["restore_pod", "take", "take", "take"],
    ["register_peer", "take", "take", "take"],
    ["compact", "take", "already_running", "take"],
    ["undo_compaction", "take", "already_running", "take"],
    ["list_rewind_targets", "take", "take", "take"],
    ["rewind", "take", "already_running", "take"],
    ["queue", "take", "take", "take"],
    ["unqueue", "take", "take", "take"],
    ["run_command", "take", "take", "take"],
    ["stop_command", "take", "take", "take"],
    ["complete_path", "take", "take", "take"],
    ["set_title", "take", "take", "take"],
    ["shutdown", "take", "take", "take"],
  ];
  assert.deepEqual(podStates, ["idle", "running", "paused"]);
  assert.deepEqual(
    Object.entries(stateTable).map(([method, row]) => [method, ...podStates.map((state) => row[state])]),
    agreed,
  );
  // Each method that can be called has its row, and no other.
  assert.deepEqual(Object.keys(stateTable), methods);
  const words: readonly string[] = ["take", "if_unfinished", "nothing", ...protocolErrorCodes];
  for (const row of Object.values(stateTable)) {
    assert.deepEqual(Object.keys(row), [...podStates]);
    for (const cell of Object.values(row)) assert.ok(words.includes(cell), cell);
  }
});

test("every method of every role is as agreed; only the user stops, resumes, approves and shuts down", () => {
  const agreed: Readonly<Record<MethodName, readonly string[]>> = {
    hello: ["user", "child", "peer", "send_only"],
    ping: ["user", "child", "peer", "send_only"],
    show: ["user", "peer"],
    submit: ["user", "peer", "send_only"],
    notify: ["user", "peer", "send_only"],
    resume: ["user"],
    cancel: ["user"],
    pause: ["user"],
    answer_approval: ["user"],
    pod_event: ["child"],
    restore_pod: ["user"],
    register_peer: ["user"],
    compact: ["user"],
    undo_compaction: ["user"],
    list_rewind_targets: ["user"],
    rewind: ["user"],
    queue: ["user"],
    unqueue: ["user"],
    run_command: ["user"],
    stop_command: ["user"],
    complete_path: ["user"],
    set_title: ["user"],
    shutdown: ["user"],
  };
  const names: readonly MethodName[] = ["hello", ...methods];
  assert.deepEqual(
    Object.fromEntries(names.map((method) => [method, roles.filter((role) => mayCall(role, method))])),
    agreed,
  );
  assert.deepEqual(Object.keys(methodsOfRole).sort(), [...roles].sort());
  assert.deepEqual([...streamRoles], ["user", "peer"]);
});
