/** Processes around a Pod's socket: clients that count what they get, and bare ends of a socket that do the same work without a Pod. */
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { RawClient } from "../test/service/raw-client.ts";

export interface Counted {
  readonly lines: number;
  readonly bytes: number;
  /** Arrival of the first and the last line, on the machine's clock. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** Of the last live event; null: none came. */
  readonly n: number | null;
}

const lineFeed = 10;
const endMark = '"type":"run_ended"';
const nowMs = () => Number(process.hrtime.bigint()) / 1e6;
const say = (value: unknown) => void process.stdout.write(`${JSON.stringify(value)}\n`);

/** Counts lines until one holds `mark`. Only the last line of what arrived together is looked at whole. */
function count(socket: Socket, mark: string): Promise<Counted> {
  return new Promise((resolve, reject) => {
    let lines = 0;
    let bytes = 0;
    let firstMs = 0;
    let rest = Buffer.alloc(0);
    const gone = () =>
      reject(new Error(`the connection ended after ${lines} lines: ${rest.toString("utf8")}`));
    socket.once("close", gone);
    socket.on("data", (piece: Buffer) => {
      if (firstMs === 0) firstMs = nowMs();
      bytes += piece.length;
      for (let at = piece.indexOf(lineFeed); at !== -1; at = piece.indexOf(lineFeed, at + 1)) lines += 1;
      rest = Buffer.concat([rest.subarray(rest.lastIndexOf(lineFeed, -2) + 1), piece]);
      if (!rest.includes(mark)) return;
      socket.off("close", gone);
      const last = [...rest.toString("utf8").matchAll(/"event":"live","n":(\d+)/g)].at(-1)?.[1];
      resolve({ lines, bytes, firstMs, lastMs: nowMs(), n: last === undefined ? null : Number(last) });
    });
  });
}

/** A client with the stream: says when it is up to date, then what it got until the run's end. */
async function read(path: string, token: string): Promise<void> {
  const client = await RawClient.open(path, { token });
  await client.until("the snapshot", () => client.snapshot !== null);
  client.socket.removeAllListeners("data");
  say({ n: client.snapshot?.["n"] });
  say(await count(client.socket, endMark));
  client.drop();
}

/** A client that is up to date once, and then reads nothing any more. */
async function stall(path: string, token: string): Promise<void> {
  const client = await RawClient.open(path, { token });
  await client.until("the snapshot", () => client.snapshot !== null);
  client.socket.pause();
  say({ n: client.snapshot?.["n"] });
  // Until it is ended from outside.
  setInterval(() => undefined, 60_000);
}

/** Sends back what it gets. */
async function echo(path: string): Promise<void> {
  rmSync(path, { force: true });
  const server = createServer((socket) => void socket.on("error", () => undefined).pipe(socket));
  await once(server.listen(path), "listening");
  say({});
}

/** Gives `lines` lines of `bytes` bytes to each of `readers` connections, as fast as the slowest takes them. */
async function pour(path: string, readers: number, lines: number, bytes: number): Promise<void> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on("error", () => undefined)));
  await once(server.listen(path), "listening");
  say({});
  while (sockets.length < readers) await once(server, "connection");
  const line = Buffer.from(`${"x".repeat(bytes - 1)}\n`);
  for (let sent = 0; sent < lines; sent += 1) {
    const full = sockets.filter((socket) => !socket.write(line));
    await Promise.all(full.map((socket) => once(socket, "drain")));
  }
  for (const socket of sockets) socket.end(`${endMark}\n`);
  server.close();
}

/** Of `pour`. */
async function drink(path: string): Promise<void> {
  const client = await RawClient.connect(path);
  client.socket.removeAllListeners("data");
  say({});
  say(await count(client.socket, endMark));
}

const [role = "", path = "", ...rest] = process.argv.slice(2);
switch (role) {
  case "read":
    await read(path, rest[0] ?? "");
    break;
  case "stall":
    await stall(path, rest[0] ?? "");
    break;
  case "echo":
    await echo(path);
    break;
  case "pour":
    await pour(path, Number(rest[0]), Number(rest[1]), Number(rest[2]));
    break;
  case "drink":
    await drink(path);
    break;
  default:
    throw new Error(`not a role of this process: ${process.argv.slice(2).join(" ")}`);
}
