/** Verifying a log whose model said nothing visible: the items of a request are counted as the request holds them. */
import assert from "node:assert/strict";
import test from "node:test";
import type { EntryBody } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { SessionStore } from "@yoi/session-store";
import { overriding } from "../../../../test/support/overriding.ts";
import {
  effectTool,
  openSimulated,
  simulatedPod,
  simulatedStores,
  World,
} from "../../../../test/support/simulated-pod.ts";
import { openScripted } from "../../../model/src/scripted/index.ts";
import { readActive, type VerifyReport, verifyPod } from "../../src/index.ts";

/** Each body that a Pod appends, as it is to be written. */
type Rewrite = (body: EntryBody) => EntryBody;

function rewriting(sessions: SessionStore, rewrite: Rewrite): SessionStore {
  return overriding(sessions, {
    create: async (start, opening) => {
      const opened = await sessions.create(start, opening);
      const { writer } = opened;
      const append: typeof writer.append = (bodies) => writer.append(bodies.map(rewrite));
      return { ...opened, writer: overriding(writer, { append }) };
    },
  });
}

/** A Pod whose first answer is `text` and a call, closed and verified to the byte. */
async function verified(
  text: string,
  rewrite: Rewrite = (body) => body,
): Promise<{ readonly report: VerifyReport; readonly texts: readonly string[] }> {
  const host = memoryHost({ seed: 1 });
  const leases = new Map();
  const call = { name: "Effect", arguments: { what: "a" } };
  const scenario = JSON.stringify({ steps: [{ text, tool_calls: [call] }, { text: "Done." }] });
  const pod = await openSimulated({
    host,
    leases,
    scenario,
    tools: [effectTool(new World(), host)],
    wrapSessions: (sessions) => rewriting(sessions, rewrite),
  });
  const { outcome } = await pod.submit([{ type: "text", text: "go" }]);
  assert.deepEqual(outcome, { kind: "finished", text: "Done." });
  await pod.close();
  const stores = simulatedStores(host, leases);
  const report = await verifyPod(stores, simulatedPod, {
    wireRequestsMax: 500,
    openModel: async () => openScripted({ name: "sim.yaml", text: scenario, ports: host }),
  });
  const { view } = await readActive(stores, simulatedPod);
  const texts = view.entries.flatMap((entry) =>
    "item" in entry && entry.item.type === "assistant_message" ? [entry.item.text] : [],
  );
  return { report, texts };
}

test("a blank text before a call is not committed, and the log verifies to the byte", async () => {
  for (const text of ["\n\n", " ", "\t\n"]) {
    const { report, texts } = await verified(text);
    assert.deepEqual([report.problems, report.requests, report.wireChecked], [[], 2, 2]);
    assert.deepEqual(texts, ["Done."]);
  }
});

test("a log that holds a blank text verifies too: its requests were made without it", async () => {
  const blanked: Rewrite = (body) =>
    body.kind === "assistant_item" && body.item.type === "assistant_message" && body.item.text === "blank me"
      ? { ...body, item: { ...body.item, text: "\n\n" } }
      : body;
  const { report, texts } = await verified("blank me", blanked);
  assert.deepEqual([report.problems, report.requests, report.wireChecked], [[], 2, 2]);
  assert.deepEqual(texts, ["\n\n", "Done."]);
});

test("control: a record that counts other items than its request has does not verify", async () => {
  const { report } = await verified("\n\n", (body) =>
    body.kind === "llm_request" && body.items > 1 ? { ...body, items: body.items + 1 } : body,
  );
  assert.deepEqual(
    report.problems.map(({ kind, message }) => [kind, message.replace(/^Entry \d+: /, "")]),
    [["request", "the request cannot be rebuilt as it was sent: it had 4 items, rebuilt it has 3."]],
  );
});
