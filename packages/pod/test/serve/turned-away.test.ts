/** Connections beyond what a Pod takes: told so, or ended at once where even those are too many; then there is room again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Connection, connectionsMax, lastLinesMs } from "@yoi/protocol";
import { LineClient, served } from "./support.ts";

async function settle(): Promise<void> {
  for (let i = 0; i < 50; i += 1) await Promise.resolve();
}

test("as many as there are places are told that there is none; beyond them the connection is over at once, until those are gone", async () => {
  await using it = await served();
  const { host, place, server } = it;
  const known = await LineClient.hello(await place.connect(), { stream: false });
  const inside: Connection[] = [];
  const away: Connection[] = [];
  using _ended = {
    // A failure is not to wait for whom the close of the Pod waits.
    [Symbol.dispose]: () => {
      for (const connection of [known.connection, ...inside, ...away]) connection.destroy();
    },
  };
  for (let n = 1; n < connectionsMax; n += 1) inside.push(await place.connect());
  /** Tells whether the one more was told why, or found the connection over. */
  const oneMore = async (): Promise<"told" | "over"> => {
    const pair = place.connectPair();
    await settle();
    const got = pair.toClient();
    pair.client.destroy();
    return got > 0 ? "told" : "over";
  };
  assert.equal(await oneMore(), "told");
  await settle();
  for (let n = 0; n < connectionsMax; n += 1) {
    const pair = place.connectPair();
    away.push(pair.client);
    await settle();
    assert.ok(pair.toClient() > 0, `${n} are being told`);
  }
  assert.equal(await oneMore(), "over");
  assert.equal(server.clients, 1);
  assert.deepEqual(await known.ask("ping"), {}, "who has a place keeps it");
  // Those who are told and stay are ended after a while, and their places for being told are free again.
  await host.advance(lastLinesMs);
  await settle();
  assert.equal(await oneMore(), "told");
  for (const connection of [...inside, ...away]) connection.destroy();
  await settle();
  const next = await LineClient.hello(await place.connect(), { stream: false });
  assert.deepEqual(await next.ask("ping"), {});
});
