/** A listener without descriptors to spare: whom it cannot take goes away, and it lives on. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { nodeSocketFiles } from "@yoi/host";
import type { Connection } from "@yoi/protocol";
import { connectTo } from "@yoi/protocol/node";

const descriptorsMax = 40;
const clients = 60;

async function withEcho(run: (path: string, child: ChildProcess) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "yoi-descriptors-"));
  const path = join(folder, "s");
  const script = join(import.meta.dirname, "echo-process.ts");
  const child = spawn(
    "/bin/sh",
    ["-c", `ulimit -n ${descriptorsMax}; exec "$0" "$1" "$2"`, process.execPath, script, path],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  try {
    await once(child.stdout, "data");
    await run(path, child);
  } finally {
    const ended = once(child, "exit");
    if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await ended;
    rmSync(folder, { recursive: true });
  }
}

/** Whether the other side answers on it. */
async function isTaken(connection: Connection): Promise<boolean> {
  try {
    await connection.write(Buffer.from("x"));
  } catch {
    return false;
  }
  for await (const piece of connection.incoming) return piece.length === 1;
  return false;
}

test("more connections than descriptors: the rest is sent away, and the next one is taken once there is room", () =>
  withEcho(async (path, child) => {
    const connections = await Promise.all(
      Array.from({ length: clients }, () => connectTo(path, nodeSocketFiles)),
    );
    const taken = (await Promise.all(connections.map(isTaken))).filter(Boolean).length;
    assert.ok(taken > 0 && taken < descriptorsMax, `${taken} of ${clients} were taken`);
    for (const connection of connections) connection.destroy();
    let tries = 0;
    for (let again = false; !again && tries < 1_000; tries += 1) {
      const connection = await connectTo(path, nodeSocketFiles);
      again = await isTaken(connection);
      connection.destroy();
    }
    assert.ok(tries < 1_000, "nobody is taken any more");
    assert.deepEqual([child.exitCode, child.signalCode], [null, null]);
    assert.deepEqual(readdirSync(join(path, "..")), ["s"]);
  }));
