/** The exchange with a server of bytes: how much of a refusal is read, and how much is drained behind the last event. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import type { Endpoint } from "../../src/failure.ts";
import { drainBytesMax, errorBodyBytesMax, Exchange } from "../../src/wire/exchange.ts";
import { streamLimits } from "../../src/wire/stream-guard.ts";

const endpoint: Endpoint = {
  label: "Test",
  host: "127.0.0.1",
  model: "m",
  keyVariable: "KEY",
  baseUrlVariable: "URL",
  secret: "sk-secret",
};

interface Bench {
  readonly agent: Agent;
  /** Of the requests so far. */
  readonly exchanges: readonly Exchange[];
  /** Sends one request, and hands out what the client and the server hold of it. */
  ask(): Promise<{ exchange: Exchange; response: Response }>;
}

async function withServer(answer: (response: ServerResponse) => void, body: (bench: Bench) => Promise<void>) {
  const server = createServer((_request, response) => answer(response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const agent = new Agent({ keepAlive: true });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/messages`;
  const exchanges: Exchange[] = [];
  const ask: Bench["ask"] = async () => {
    const exchange = new Exchange({
      endpoint,
      agent,
      limits: streamLimits,
      beforeSend: async () => {},
      onAlive: () => {},
    });
    exchanges.push(exchange);
    return { exchange, response: await exchange.fetch(url, { method: "POST", body: "{}" }) };
  };
  try {
    await body({ agent, exchanges, ask });
  } finally {
    agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test("a refusal's body is read up to its limit, whole at n, cut at n + 1", async () => {
  for (const [sent, kept] of [
    [errorBodyBytesMax - 1, errorBodyBytesMax - 1],
    [errorBodyBytesMax, errorBodyBytesMax],
    [errorBodyBytesMax + 1, errorBodyBytesMax],
    [4 * errorBodyBytesMax, errorBodyBytesMax],
  ] as const) {
    await withServer(
      (response) => response.writeHead(400).end("x".repeat(sent)),
      async ({ ask }) => {
        const { exchange, response } = await ask();
        assert.equal((await response.text()).length, kept);
        exchange.close();
      },
    );
  }
});

test("what follows the last event is drained and the connection kept at n bytes, given up at n + 1", async () => {
  for (const [bytes, kept] of [
    [0, true],
    [drainBytesMax, true],
    [drainBytesMax + 1, false],
  ] as const) {
    const held = Promise.withResolvers<ServerResponse>();
    await withServer(
      (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write("data: last\n\n");
        held.resolve(response);
      },
      async ({ agent, ask }) => {
        const { exchange, response } = await ask();
        const { value } = (await response.body?.getReader().read()) ?? {};
        assert.equal(Buffer.from(value ?? []).toString(), "data: last\n\n");
        exchange.settle();
        const atServer = await held.promise;
        const socket: Socket | null = atServer.socket;
        assert.ok(socket !== null);
        const outcome = Promise.race([
          once(agent, "free").then(() => true),
          once(socket, "close").then(() => false),
        ]);
        atServer.end("x".repeat(bytes));
        assert.equal(await outcome, kept, String(bytes));
      },
    );
  }
});

test("a request was taken when there was a connection for it and no status refused it", async () => {
  const taken = async (status: number, requests: number): Promise<boolean[]> => {
    const seen: boolean[] = [];
    const answer = (response: ServerResponse) =>
      status === 0
        ? response.destroy()
        : response.writeHead(status, { "content-type": "text/event-stream" }).end();
    await withServer(answer, async ({ ask, exchanges }) => {
      for (let request = 0; request < requests; request += 1) {
        const { response } = await ask().catch(() => ({ response: null }));
        await response?.text();
      }
      seen.push(...exchanges.map((exchange) => exchange.taken));
    });
    return seen;
  };
  // The second one goes over the connection of the first.
  assert.deepEqual(await taken(200, 2), [true, true]);
  assert.deepEqual(await taken(401, 2), [false, false]);
  assert.deepEqual(await taken(529, 1), [false]);
  // Hung up on after it had left: nobody knows.
  assert.deepEqual(await taken(0, 1), [true]);
  const agent = new Agent();
  const limits = streamLimits;
  const unheard = new Exchange({ endpoint, agent, limits, beforeSend: async () => {}, onAlive: () => {} });
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  await assert.rejects(unheard.fetch(`http://127.0.0.1:${port}/v1`, { method: "POST", body: "{}" }));
  assert.equal(unheard.taken, false);
});
