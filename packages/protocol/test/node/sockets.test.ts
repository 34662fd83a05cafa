/** Local sockets as connections: both ends of each, in a folder of the test. */
import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { YoiError } from "@yoi/base";
import { nodeSocketFiles } from "../../../host/src/node/socket-files.ts";
import type { Connection, Listener } from "../../src/index.ts";
import { connectTo, listenAt } from "../../src/node/index.ts";

const bytesOf = (text: string) => Buffer.from(text);
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "yoi-sockets-"));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function textOf(connection: Connection): Promise<string> {
  let text = "";
  for await (const piece of connection.incoming) text += Buffer.from(piece).toString();
  return text;
}

interface Ends {
  readonly path: string;
  readonly client: Connection;
  readonly server: Connection;
  readonly listener: Listener;
}

async function connected(path: string): Promise<Ends> {
  const accepted = Promise.withResolvers<Connection>();
  const listener = await listenAt(path, nodeSocketFiles)(accepted.resolve);
  const client = await connectTo(path, nodeSocketFiles);
  return { path, client, server: await accepted.promise, listener };
}

async function withEnds(run: (ends: Ends) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const ends = await connected(join(folder, "s"));
    try {
      await run(ends);
    } finally {
      ends.client.destroy();
      ends.server.destroy();
      await Promise.all([ends.client.closed, ends.server.closed]);
      await ends.listener.close();
    }
  });
}

/** Descriptors of this process that lead to the directory. */
function descriptorsOf(directory: string): number {
  return readdirSync("/proc/self/fd").filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === directory;
    } catch {
      return false;
    }
  }).length;
}

for (const bytes of [107, 108, 200]) {
  test(`a socket whose path has ${bytes} bytes is bound, owned by one user, connected to and removed`, () =>
    inFolder(async (folder) => {
      const directory = join(folder, "d".repeat(bytes - folder.length - 5));
      mkdirSync(directory);
      const path = join(directory, "sss");
      assert.equal(path.length, bytes);
      const { client, server, listener } = await connected(path);
      assert.deepEqual(readdirSync(directory), ["sss"]);
      assert.equal(statSync(path).mode & 0o777, 0o600);
      assert.equal(descriptorsOf(directory), 1, "the listener's, for as long as it stands there");
      await client.write(bytesOf("hello"));
      client.end();
      assert.equal(await textOf(server), "hello");
      server.end();
      assert.equal(await textOf(client), "");
      await Promise.all([client.closed, server.closed]);
      await listener.close();
      assert.deepEqual(readdirSync(directory), []);
      assert.equal(descriptorsOf(directory), 0);
    }));
}

for (const who of ["client", "server"] as const) {
  test(`a ${who} that has ended still reads, and the other side still writes`, () =>
    withEnds(async ({ client, server }) => {
      const [asks, answers] = who === "client" ? [client, server] : [server, client];
      await asks.write(bytesOf("question"));
      asks.end();
      assert.equal(await textOf(answers), "question");
      for (let part = 0; part < 3; part += 1) await answers.write(bytesOf(`answer ${part};`));
      answers.end();
      assert.equal(await textOf(asks), "answer 0;answer 1;answer 2;");
      await Promise.all([client.closed, server.closed]);
    }));
}

test("a writer waits for a reader that does not ask, and nothing is lost", () =>
  withEnds(async ({ client, server }) => {
    const piece = Buffer.alloc(64 * 1024, "x");
    const pieces = 200;
    let taken = 0;
    const writing = (async () => {
      for (; taken < pieces; taken += 1) await client.write(piece);
      client.end();
    })();
    for (let turn = 0, before = -1; turn < 50; turn += 1) {
      if (taken !== before) turn = 0;
      before = taken;
      await nextTurn();
    }
    assert.ok(taken > 0 && taken < 20, `${taken} pieces of 64 KiB were taken and not read`);
    let read = 0;
    for await (const each of server.incoming) read += each.length;
    await writing;
    assert.equal(read, pieces * piece.length);
  }));

for (const who of ["client", "server"] as const) {
  test(`a connection that the ${who} destroys is over for both, and no write goes on`, () =>
    withEnds(async ({ client, server }) => {
      const [gone, other] = who === "client" ? [client, server] : [server, client];
      const stuck = assert.rejects(gone.write(Buffer.alloc(8 * 1024 * 1024)));
      gone.destroy();
      gone.destroy();
      await Promise.all([stuck, gone.closed]);
      assert.equal(await textOf(gone), "");
      // What arrived before may still be read; then it ends.
      await textOf(other);
      await assert.rejects(
        (async () => {
          for (;;) await other.write(bytesOf("anybody?"));
        })(),
      );
      await other.closed;
      await assert.rejects(gone.write(bytesOf("more")));
      await assert.rejects(other.write(bytesOf("more")));
    }));
}

test("closing the place leaves its connections as they are", () =>
  withEnds(async ({ path, client, server, listener }) => {
    await listener.close();
    await listener.close();
    await assert.rejects(connectTo(path, nodeSocketFiles));
    await client.write(bytesOf("still here"));
    client.end();
    assert.equal(await textOf(server), "still here");
  }));

test("a place that another owner took in between stays, and takes connections", () =>
  inFolder(async (folder) => {
    const path = join(folder, "s");
    const first = await connected(path);
    const second = await connected(path);
    await first.listener.close();
    const client = await connectTo(path, nodeSocketFiles);
    for (const end of [first.client, first.server, second.client, second.server, client]) end.destroy();
    await second.listener.close();
    assert.deepEqual(readdirSync(folder), []);
  }));

test("control: a socket that is bound under its own path takes away another owner's", () =>
  inFolder(async (folder) => {
    const path = join(folder, "s");
    const plain = createServer().listen(path);
    await new Promise((resolve) => plain.once("listening", resolve));
    const second = await connected(path);
    plain.close();
    assert.deepEqual(readdirSync(folder), []);
    second.client.destroy();
    second.server.destroy();
    await second.listener.close();
  }));

/** A socket whose process is gone. */
async function leaveStale(path: string): Promise<void> {
  const server = createServer().listen(`${path}.bound`);
  await new Promise((resolve) => server.once("listening", resolve));
  renameSync(`${path}.bound`, path);
  await new Promise((resolve) => server.close(resolve));
}

test("a Pod that cannot be reached is said so, with the reason", () =>
  inFolder(async (folder) => {
    const stale = join(folder, "stale");
    await leaveStale(stale);
    writeFileSync(join(folder, "file"), "");
    const cases = [
      [join(folder, "none"), "no process serves it there; start it with yoi pod start"],
      [join(folder, "n".repeat(120), "none"), "no process serves it there; start it with yoi pod start"],
      [stale, "the process that served it there is gone; start it again with yoi pod start"],
      [join(folder, "file"), "the process that served it there is gone; start it again with yoi pod start"],
    ] as const;
    for (const [path, reason] of cases) {
      await assert.rejects(connectTo(path, nodeSocketFiles), (error) => {
        assert.ok(error instanceof YoiError);
        assert.deepEqual(
          [error.code, error.message, error.place],
          ["pod_unreachable", `Cannot reach the Pod at ${path}: ${reason}.`, { path }],
        );
        return true;
      });
    }
  }));

test("a dead process's socket is replaced, and anything else is not", () =>
  inFolder(async (folder) => {
    const stale = join(folder, "stale");
    await leaveStale(stale);
    const { client, server, listener } = await connected(stale);
    client.destroy();
    server.destroy();
    await listener.close();
    const file = join(folder, "file");
    writeFileSync(file, "mine");
    await assert.rejects(
      listenAt(file, nodeSocketFiles)(() => {}),
      (error) => error instanceof YoiError && error.code === "io_failed",
    );
    assert.deepEqual(readdirSync(folder), ["file"]);
    await assert.rejects(
      listenAt(join(folder, "no", "s"), nodeSocketFiles)(() => {}),
      (error) => error instanceof YoiError && error.message.includes("ENOENT"),
    );
  }));
