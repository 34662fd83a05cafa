/** How far a sender has told: one line with its notice, so that nothing is told twice or left out, whatever the disk keeps of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnown, type JsonValue } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { LeaseTable } from "@yoi/pod-store";
import { entriesOf, openParts } from "../../../../test/inbox/parts.ts";
import { inboxMax } from "../../src/index.ts";

const scenario = "steps: []";
const source = "builtin:watch";
const told = (key: string, message: string, position: JsonValue) => ({
  source,
  message,
  submission: `feature/${source}/${key}`,
  position,
});

test("a notice and how far its sender has told are one line, and the last position is on record after a restart", async () => {
  const host = memoryHost({ seed: 1 });
  const leases: LeaseTable = new Map();
  const first = await openParts({ host, leases, scenario });
  const { inbox, gate } = first;
  assert.equal(inbox.position(source), null);
  const accepted = await inbox.acceptAt(told("1", "one", { at: 1 }));
  assert.deepEqual([accepted.duplicate, inbox.position(source)], [false, { at: 1 }]);
  assert.deepEqual(inbox.position("builtin:other"), null);
  const [last] = (await entriesOf(host)).slice(-1);
  assert.ok(last?.kind === "inbox_accepted" && !("opaque" in last));
  assert.deepEqual(last.position, { at: 1 });
  const before = gate.state.lastSeq;
  await inbox.keepPosition(source, { at: 1 });
  assert.equal(gate.state.lastSeq, before, "what is on record is not written again");
  await inbox.keepPosition(source, { at: 2 });
  assert.equal(gate.state.lastSeq, before + 1);
  await first.close();
  const next = await openParts({ host, leases, scenario });
  assert.deepEqual([next.inbox.position(source), next.inbox.waiting], [{ at: 2 }, 1]);
  await next.close();
  await assert.rejects(next.inbox.keepPosition(source, { at: 3 }), { code: "cancelled" });
  await assert.rejects(next.inbox.acceptAt(told("3", "three", { at: 3 })), { code: "cancelled" });
});

test("a repeat under a name is no second notice and no error, whatever it says: its position is kept", async () => {
  const host = memoryHost({ seed: 2 });
  const { inbox, gate, close } = await openParts({ host, scenario });
  const { id } = await inbox.acceptAt(told("1", "one", { at: 1 }));
  assert.deepEqual(await inbox.acceptAt(told("1", "one", { at: 1 })), { duplicate: true, id });
  assert.deepEqual(await inbox.acceptAt(told("1", "one and a half", { at: 2 })), { duplicate: true, id });
  assert.deepEqual([gate.state.inbox.length, inbox.position(source)], [1, { at: 2 }]);
  // At once: the second one shares what comes of the first.
  const both = await Promise.all([
    inbox.acceptAt(told("3", "three", { at: 3 })),
    inbox.acceptAt(told("3", "three", { at: 4 })),
  ]);
  assert.deepEqual(
    both.map(({ duplicate }) => duplicate),
    [false, true],
  );
  assert.deepEqual([gate.state.inbox.length, inbox.position(source)], [2, { at: 4 }]);
  await close();
});

test("where the inbox is full nothing of a notice is there, nor its position; a name may be as long as an id and a key are", async () => {
  const { inbox, close } = await openParts({ host: memoryHost({ seed: 3 }), scenario });
  const long = `feature/${"x".repeat(128)}/${"k".repeat(96)}`;
  await inbox.acceptAt({ ...told("1", "one", { at: 1 }), submission: long });
  for (let n = 1; n < inboxMax; n += 1) await inbox.accept({ source: "other", message: `${n}` });
  await assert.rejects(inbox.acceptAt(told("2", "two", { at: 2 })), { code: "inbox_full" });
  assert.deepEqual(inbox.position(source), { at: 1 });
  // A repeat needs no place.
  const repeat = { ...told("1", "one", { at: 5 }), submission: long };
  assert.equal((await inbox.acceptAt(repeat)).duplicate, true);
  assert.deepEqual(inbox.position(source), { at: 5 });
  await close();
});

type Parts = Awaited<ReturnType<typeof openParts>>;
type Tell = (inbox: Parts["inbox"], numbers: readonly number[]) => Promise<unknown>;

const together: Tell = (inbox, numbers) =>
  inbox.acceptAt(told(`${numbers.at(-1)}`, numbers.join(" "), at(numbers)));
/** As it would be if the position were an entry of its own. */
const behind: Tell = async (inbox, numbers) => {
  await inbox.accept({ source, message: numbers.join(" ") });
  await inbox.keepPosition(source, at(numbers));
};
const at = (numbers: readonly number[]) => ({ at: numbers.at(-1) ?? 0 });

/** Numbers from 1 are told in order, each life from where it is known to have told: all that it finds at once. */
async function tellThrough({ inbox }: Parts, through: number, tell: Tell): Promise<void> {
  const from = Number(Object(inbox.position(source))["at"] ?? 0) + 1;
  if (from <= through)
    await tell(
      inbox,
      Array.from({ length: through - from + 1 }, (_, n) => from + n),
    );
}

/** What is told in all, when the machine stops at that operation of the disk; null: there is no such operation. */
async function toldOver(tell: Tell, loss: "process" | "power", operation: number) {
  const first = memoryHost({ seed: operation });
  const parts = await openParts({ host: first, scenario });
  const from = first.disk.operations;
  first.disk.plan = ({ index }) => {
    if (index === from + operation) first.crash(loss);
    return "pass";
  };
  const life = async () => {
    for (const through of [3, 5]) await tellThrough(parts, through, tell);
  };
  await life().catch((error: unknown) => {
    if (!first.crashed) throw error;
  });
  if (!first.crashed) return null;
  const host = first.restart();
  const again = await openParts({ host, scenario });
  await tellThrough(again, 7, tell);
  await again.close();
  return (await entriesOf(host)).flatMap((entry) =>
    isKnown(entry) && entry.kind === "inbox_accepted" ? entry.item.body.split(" ").map(Number) : [],
  );
}

for (const loss of ["process", "power"] as const) {
  test(`a crash at every operation of the disk (${loss}): each thing is told once, in order; control: with a position of its own some are told twice`, async () => {
    const twice: number[] = [];
    let crashes = 0;
    for (let operation = 1; ; operation += 1) {
      const numbers = await toldOver(together, loss, operation);
      if (numbers === null) break;
      crashes += 1;
      assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7], `crash at operation ${operation}`);
    }
    for (let operation = 1; ; operation += 1) {
      const numbers = await toldOver(behind, loss, operation);
      if (numbers === null) break;
      if (numbers.length > 7) twice.push(operation);
    }
    assert.ok(crashes >= 4, `${crashes} operations`);
    assert.notDeepEqual(twice, []);
  });
}
