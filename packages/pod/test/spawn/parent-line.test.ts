/** The child's line to its parent: hints over whatever connection there is, and no trouble of the parent's is the child's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName } from "@yoi/base";
import { type MemoryHost, memoryHost } from "@yoi/host";
import { type Connection, encodeLine, frameBytesMax, LineReader } from "@yoi/protocol";
import { connectionPair } from "../../../../test/support/connection-pair.ts";
import { ParentLine, parentAnswerMs } from "../../src/spawn/parent-line.ts";

/** A parent that says whom it hears, as its own server would answer. */
class Parent {
  readonly heard: string[] = [];
  isThere = true;
  /** What it does with a hello. */
  hello: "welcome" | "refuse" | "hang" = "welcome";
  /** And with events. */
  answers = true;
  readonly #connections: Connection[] = [];

  readonly connect = async (): Promise<Connection> => {
    if (!this.isThere) throw new Error("nobody listens");
    const { client, server } = connectionPair();
    this.#connections.push(server);
    void this.#serve(server);
    return client;
  };

  get open(): number {
    return this.#connections.length;
  }

  drop(): void {
    for (const connection of this.#connections.splice(0)) connection.destroy();
  }

  async #serve(connection: Connection): Promise<void> {
    const reader = new LineReader(frameBytesMax);
    for await (const bytes of connection.incoming) {
      for (const line of reader.take(bytes)) {
        const { id, method, params } = JSON.parse(Buffer.from(line).toString()) as {
          id: string;
          method: string;
          params: { event?: string; role?: string; token?: string };
        };
        if (method === "hello") {
          assert.deepEqual([params.role, params.token], ["child", "the-token"]);
          await this.#greet(connection, id);
        } else {
          this.heard.push(params.event ?? method);
          if (this.answers) await connection.write(encodeLine({ id, result: {} }));
        }
      }
    }
  }

  async #greet(connection: Connection, id: string): Promise<void> {
    if (this.hello === "hang") return;
    const place = { protocol: 1, pod: "parent", session: "s", segment: "g", epoch: 1, from: 0 };
    await connection.write(
      encodeLine(
        this.hello === "welcome"
          ? { id, result: place }
          : { id, error: { code: "unauthorized", message: "no" } },
      ),
    );
    if (this.hello === "refuse") connection.end();
  }
}

const lineTo = (parent: Parent, host: MemoryHost) =>
  new ParentLine({
    name: podName("kid"),
    token: "the-token",
    connect: parent.connect,
    timers: host.timers,
    random: host.random,
  });

async function settle(host: MemoryHost, ms = 0): Promise<void> {
  await host.advance(ms);
  for (let n = 0; n < 100; n += 1) await Promise.resolve();
}

test("says hello by itself, then what happens, and at last that it is down", async () => {
  const [host, parent] = [memoryHost({ seed: 1 }), new Parent()];
  const line = lineTo(parent, host);
  await settle(host);
  line.tell("turn_ended");
  line.tell("errored");
  await settle(host);
  await line.end();
  await line.end();
  assert.deepEqual(parent.heard, ["hello", "turn_ended", "errored", "shut_down"]);
});

test("a parent that is away is tried again for ever, and said hello to when it is back", async () => {
  const [host, parent] = [memoryHost({ seed: 1 }), new Parent()];
  parent.isThere = false;
  const line = lineTo(parent, host);
  line.tell("turn_ended");
  await settle(host, 3_600_000);
  assert.deepEqual(parent.heard, []);
  parent.isThere = true;
  await settle(host, 5_000);
  assert.deepEqual(parent.heard, ["hello"]);
  for (let n = 0; n < 3; n += 1) {
    parent.drop();
    await settle(host, 5_000);
  }
  line.tell("turn_ended");
  await settle(host);
  assert.deepEqual(parent.heard, ["hello", "hello", "hello", "hello", "turn_ended"]);
  assert.equal(parent.open, 1, "one connection at a time");
  await line.end();
});

test("a parent that refuses it, or hangs, is as one that is away", async () => {
  const [host, parent] = [memoryHost({ seed: 1 }), new Parent()];
  parent.hello = "refuse";
  const line = lineTo(parent, host);
  await settle(host, 60_000);
  parent.hello = "hang";
  await settle(host, 60_000);
  assert.deepEqual(parent.heard, []);
  parent.hello = "welcome";
  await settle(host, 2 * parentAnswerMs);
  await settle(host, 2 * parentAnswerMs);
  assert.deepEqual(parent.heard, ["hello"]);
  await line.end();
});

test(`a parent that does not answer is waited for at the end ${parentAnswerMs} ms, and no longer`, async () => {
  const [host, parent] = [memoryHost({ seed: 1 }), new Parent()];
  parent.answers = false;
  const line = lineTo(parent, host);
  await settle(host);
  const over = { yet: false };
  const ending = line.end().then(() => (over.yet = true));
  await settle(host, parentAnswerMs - 1);
  assert.deepEqual([over.yet, parent.heard], [false, ["hello", "shut_down"]]);
  await settle(host, 1);
  await ending;
  assert.equal(over.yet, true);
});

test("a line that ends while there is no parent, or while it is being said hello to, ends at once", async () => {
  for (const how of ["away", "hang"] as const) {
    const [host, parent] = [memoryHost({ seed: 1 }), new Parent()];
    if (how === "away") parent.isThere = false;
    else parent.hello = "hang";
    const line = lineTo(parent, host);
    await settle(host);
    const ending = line.end();
    // The hello that hangs has its own limit.
    await settle(host, parentAnswerMs);
    await ending;
    assert.deepEqual(parent.heard, [], how);
  }
});
