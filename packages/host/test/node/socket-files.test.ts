/** Node's SocketFiles: addresses that fit, names that are given and taken back. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { YoiError } from "@yoi/base";
import { nodeSocketFiles } from "../../src/index.ts";

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "yoi-sockets-"));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A path of exactly so many bytes, in a directory that is there. */
function pathOf(folder: string, bytes: number): string {
  const directory = join(folder, "d".repeat(Math.min(200, bytes - folder.length - 12)));
  mkdirSync(directory, { recursive: true });
  return `${directory}/`.padEnd(bytes, "s");
}

function bind(address: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(address, () => resolve(server));
  });
}

/** Descriptors of this process that lead into the folder. */
function descriptorsInto(folder: string): number {
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false;
    }
  }).length;
}

for (const { bytes, whole } of [
  { bytes: 107, whole: true },
  { bytes: 108, whole: false },
  { bytes: 180, whole: false },
]) {
  test(`a socket's path of ${bytes} bytes is reached ${whole ? "as it is" : "through its directory"}`, () =>
    inFolder(async (folder) => {
      const path = pathOf(folder, bytes);
      const { address, release } = nodeSocketFiles.reach(path);
      assert.equal(address === path, whole);
      assert.ok(Buffer.byteLength(address) <= 107);
      writeFileSync(path, "");
      assert.equal(statSync(address).ino, statSync(path).ino);
      assert.equal(descriptorsInto(folder), whole ? 0 : 1);
      release();
      release();
      assert.equal(descriptorsInto(folder), 0);
    }));

  test(`a socket gets its path of ${bytes} bytes once it is bound, and gives it back`, () =>
    inFolder(async (folder) => {
      const path = pathOf(folder, bytes);
      const directory = join(path, "..");
      const place = nodeSocketFiles.place(path);
      const server = await bind(place.address);
      assert.equal(statSync(path, { throwIfNoEntry: false }), undefined);
      place.publish();
      const found = statSync(path);
      assert.deepEqual([found.isSocket(), found.mode & 0o777], [true, 0o600]);
      assert.equal(readdirSync(directory).length, 1);
      server.close();
      place.withdraw();
      place.withdraw();
      assert.deepEqual(readdirSync(directory), []);
      assert.equal(descriptorsInto(folder), 0);
    }));
}

test("a socket's name that a killed process left unfinished is used again", () =>
  inFolder(async (folder) => {
    const path = join(folder, "s");
    writeFileSync(nodeSocketFiles.place(path).address, "left");
    const place = nodeSocketFiles.place(path);
    const server = await bind(place.address);
    place.publish();
    server.close();
    place.withdraw();
    assert.deepEqual(readdirSync(folder), []);
  }));

test("only its own socket is taken away", () =>
  inFolder(async (folder) => {
    const path = join(folder, "s");
    const first = nodeSocketFiles.place(path);
    const servers = [await bind(first.address)];
    first.publish();
    const second = nodeSocketFiles.place(path);
    servers.push(await bind(second.address));
    second.publish();
    const { ino } = statSync(path);
    servers[0]?.close();
    first.withdraw();
    assert.equal(statSync(path).ino, ino);
    // One that never got the path takes nothing away.
    nodeSocketFiles.place(path).withdraw();
    assert.equal(statSync(path).ino, ino);
    servers[1]?.close();
    second.withdraw();
    assert.deepEqual(readdirSync(folder), []);
  }));

test("what is not a socket is not replaced, and a missing directory is named", () =>
  inFolder(async (folder) => {
    const path = join(folder, "s");
    writeFileSync(path, "mine");
    const place = nodeSocketFiles.place(path);
    const server = await bind(place.address);
    assert.throws(
      () => place.publish(),
      (error) =>
        error instanceof YoiError &&
        error.code === "io_failed" &&
        error.message.startsWith(
          `Cannot bind the socket ${path}: something that is not a socket is in its place`,
        ),
    );
    server.close();
    place.withdraw();
    assert.deepEqual(readdirSync(folder), ["s"]);
    for (const missing of [join(folder, "no/s"), join(folder, "n".repeat(120), "s")]) {
      assert.throws(
        () => nodeSocketFiles.place(missing),
        (error) =>
          error instanceof YoiError && error.message.includes(`${missing}: it does not exist (ENOENT)`),
      );
    }
  }));
