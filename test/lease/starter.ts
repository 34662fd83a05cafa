/** A process that takes leases on request: one JSON request a line on stdin, one JSON reply a line on stdout. It ends with its stdin. */
import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { messageOf, podName, sessionId, YoiError } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { createPodStore, createSqliteLease, type HeldLease } from "@yoi/pod-store";
import type { StarterReply, StarterRequest } from "./crew.ts";

const dataDir = process.argv[2] ?? "";
const host = nodeHost();
const lease = createSqliteLease({ dataDir, ...host });
const store = createPodStore({ dataDir, ...host });
const held = new Map<number, HeldLease>();

const until = (atMs: number): Promise<void> => host.timers.sleep(Math.max(0, atMs - Date.now()));

/** The lock that every runtime writes first: a file made with `wx` that holds a pid, taken over when that process is dead. */
async function takePidFile(path: string, breakAtMs: number): Promise<boolean> {
  const create = (): boolean => {
    try {
      const file = openSync(path, "wx");
      writeSync(file, String(process.pid));
      closeSync(file);
      return true;
    } catch {
      return false;
    }
  };
  if (create()) return true;
  const pid = Number(readFileSync(path, "utf8"));
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    // Any pause between looking and taking over will do: here it is long enough for every starter to have looked.
    await until(breakAtMs);
    unlinkSync(path);
    return create();
  }
}

async function answer(request: StarterRequest): Promise<unknown> {
  switch (request.verb) {
    case "acquire": {
      if (request.atMs !== undefined) await until(request.atMs);
      held.set(request.id, await lease.acquire(podName(request.name), request.purpose));
      return null;
    }
    case "release":
      await held.get(request.held)?.release();
      return null;
    case "owner":
      return lease.owner(podName(request.name));
    case "renew":
      await lease.renewHint(podName(request.name));
      return null;
    case "pid-file":
      await until(request.atMs);
      return takePidFile(request.path, request.breakAtMs);
    case "read":
      return readFileSync(request.path).length;
    case "store": {
      const name = podName(request.name);
      const pointer = {
        state: "pending",
        session: sessionId("0198c0de-0000-7000-8000-000000000001"),
      } as const;
      switch (request.call) {
        case "create":
          return store.create({ name, pointer, manifest: {} });
        case "update":
          return store.update(name, { epoch: 0, revision: 1 }, { epoch: 1 });
        case "read":
          return store.read(name);
        case "list":
          return store.list();
        case "find":
          return store.findIgnoringCase(name);
        case "remove":
          return store.remove(name);
      }
    }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as StarterRequest;
  const reply = (rest: Omit<StarterReply, "id">): void =>
    void process.stdout.write(`${JSON.stringify({ id: request.id, ...rest })}\n`);
  void answer(request).then(
    (value) => reply({ value: value ?? null }),
    (error: unknown) =>
      reply({ error: { code: error instanceof YoiError ? error.code : null, message: messageOf(error) } }),
  );
}
process.exit(0);
