/** The lists of kin at their limits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName } from "@yoi/base";
import { childrenMax, type PeerLink, peersMax, reclaimedMax } from "../src/index.ts";
import { withChild, withoutChild, withPeer } from "../src/kin.ts";
import { child, nameOf, peerOf } from "./kin.ts";

const name = podName("atlas");
const how = { reason: "stopped", atMs: 1 } as const;
const none = { children: [], reclaimed: [] };

test(`a Pod has ${childrenMax} children, and none more`, () => {
  let kin: ReturnType<typeof withChild> = none;
  for (let n = 0; n < childrenMax; n += 1) kin = withChild(kin, child(n), name);
  assert.equal(kin.children.length, childrenMax);
  assert.throws(() => withChild(kin, child(childrenMax), name), { code: "limit_exceeded" });
  assert.equal(withChild(kin, { ...child(0), state: "starting" }, name).children.length, childrenMax);
  kin = withoutChild(kin, nameOf(0), how, name);
  assert.equal(withChild(kin, child(childrenMax), name).children.length, childrenMax);
});

test(`of reclaimed children the last ${reclaimedMax} are kept in mind, each once`, () => {
  let kin: ReturnType<typeof withChild> = none;
  const lendAndTakeBack = (n: number): readonly string[] => {
    kin = withoutChild(withChild(kin, child(n), name), nameOf(n), how, name);
    return kin.reclaimed.map((one) => one.name);
  };
  const upTo = (from: number, to: number): readonly string[] =>
    Array.from({ length: to - from }, (_, index) => nameOf(from + index));
  for (let n = 0; n < reclaimedMax; n += 1) assert.deepEqual(lendAndTakeBack(n), upTo(0, n + 1));
  assert.deepEqual(lendAndTakeBack(reclaimedMax), upTo(1, reclaimedMax + 1));
  assert.deepEqual(lendAndTakeBack(1), [...upTo(2, reclaimedMax + 1), "child1"]);
});

test(`a Pod has ${peersMax} peers, and none more; they are sorted`, () => {
  const { session } = peerOf("any");
  const { session: later } = peerOf("any", 2);
  let peers: readonly PeerLink[] = [];
  for (let n = peersMax; n > 0; n -= 1) peers = withPeer(peers, nameOf(n), session, name) ?? peers;
  const names = peers.map((peer) => peer.name);
  assert.deepEqual([names.length, names], [peersMax, names.toSorted()]);
  assert.throws(() => withPeer(peers, nameOf(0), session, name), { code: "limit_exceeded" });
  assert.deepEqual(
    [withPeer(peers, nameOf(1), session, name), withPeer(peers, nameOf(0), null, name)],
    [null, null],
  );
  assert.equal(withPeer(peers, nameOf(1), null, name)?.length, peersMax - 1);
  // Another Pod that has the name now comes in the place of the one before.
  const again = withPeer(peers, nameOf(1), later, name);
  assert.deepEqual(
    again,
    peers.map((peer) => (peer.name === nameOf(1) ? { ...peer, session: later } : peer)),
  );
});
