/** Clients that do not read, and the end of the Pod: nobody waits for anybody for long. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryHost } from "@yoi/host";
import { clientEventsMax, encodeLine, lastLinesMs, type PodLine, untakenMs } from "@yoi/protocol";
import { stuckModel } from "../drive/stuck-model.ts";
import { memoryPlace } from "../../../../test/support/connection-pair.ts";
import { simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { servePod } from "../../src/serve/pod-server.ts";
import { eventfulPod } from "./eventful-pod.ts";
import { everybody, helloOf, LineClient, type Served, served, text } from "./support.ts";

const notes = 6_000;
/** Live events between two entries. */
const between = 100;

/** A server with a client that reads and one that does not, whose socket holds `bufferBytes`. */
async function twoClients(bufferBytes: number) {
  const host = memoryHost({ seed: 1 });
  const { pod, log, commit, tell } = eventfulPod();
  const place = memoryPlace();
  const redact = (said: string) => said;
  const { timers } = host;
  const options = {
    listen: place.listen,
    authorize: everybody,
    timers,
    redact,
    shutdown: () => {},
  };
  const server = await servePod(pod, options);
  const stalled = place.connectPair({ bufferBytes });
  await stalled.client.write(encodeLine({ id: "h", method: "hello", params: helloOf() }));
  const reader = await LineClient.hello(await place.connect());
  await reader.snapshot();
  const recorded = () => {
    commit();
    const isLast = (line: PodLine) =>
      "event" in line && line.event === "entry" && line.entry.seq === log.length - 1;
    return reader.until(isLast, "the last record");
  };
  const happen = async (events: number): Promise<void> => {
    for (let event = 0; event < events; event += 1) {
      if (event % between === 0) await recorded();
      tell();
    }
    await recorded();
  };
  return { host, server, place, stalled, reader, log, happen };
}

describe("a client that does not read", () => {
  test("is dropped with a resync mark, while others get every event and the Pod goes on", async () => {
    const { host, server, stalled, reader, log, happen } = await twoClients(2_000);
    assert.equal(server.clients, 2);
    await happen(notes);
    assert.deepEqual([server.clients, reader.live.length, reader.entries.length], [1, notes, log.length]);
    assert.ok(stalled.toClient() < 100_000, `${stalled.toClient()} bytes were given to it`);
    await host.advance(lastLinesMs);
    await stalled.server.closed;
    await happen(between);
    const closed = server.close();
    await reader.closed;
    await closed;
  });

  test("gets the mark as its last line when it reads again in time, and goes on behind it without gap or double", async () => {
    const { server, place, stalled, reader, happen } = await twoClients(30_000);
    await happen(clientEventsMax + 500);
    assert.equal(server.clients, 1);
    const slow = new LineClient(stalled.client);
    await slow.closed;
    const last = slow.lines.at(-1);
    assert.ok(last !== undefined && "event" in last && last.event === "resync", JSON.stringify(last));
    assert.deepEqual(last.after, { segment: "seg", seq: slow.entries.at(-1)?.seq });
    await happen(between);
    const again = await LineClient.hello(await place.connect(), { after: last.after ?? assert.fail() });
    await again.snapshot();
    assert.ok(slow.entries.length > 0 && again.entries.length > 0);
    assert.deepEqual([...slow.entries, ...again.entries], reader.entries);
    again.connection.destroy();
    const closed = server.close();
    await reader.closed;
    await closed;
  });

  test("is dropped for answers that it does not read, too, once it took none for 30 s; no more of it is read meanwhile", async () => {
    const dropped: (string | null)[] = [];
    await using it = await served({ serve: { dropped: (client) => dropped.push(client) } });
    const pair = it.place.connectPair({ bufferBytes: 1_000 });
    const params = helloOf({ stream: false, client: "nightly.sh" });
    await pair.client.write(encodeLine({ id: "h", method: "hello", params }));
    const pings = `${JSON.stringify({ id: "p", method: "ping", params: {} })}\n`.repeat(16);
    let sent = 0;
    const flood = (async () => {
      for (; sent < notes; sent += 16) await pair.client.write(Buffer.from(pings));
    })().catch(() => {});
    await it.host.advance(untakenMs - 1);
    assert.equal(it.server.clients, 1);
    assert.ok(sent < 200, `${sent} requests were taken`);
    await it.host.advance(1);
    assert.deepEqual([it.server.clients, dropped], [0, ["nightly.sh"]], "the host is told who it was");
    await it.host.advance(lastLinesMs);
    await pair.server.closed;
    await flood;
  });

  test("that catches up holds nothing up, has nothing queued for it, and is dropped with the mark once it took nothing for 30 s", async () => {
    const host = memoryHost({ seed: 1 });
    await using it = await served({ host });
    const filler = await LineClient.hello(await it.place.connect(), { stream: false });
    for (let note = 0; note < 40; note += 1) {
      await filler.ask("notify", { message: "n".repeat(16 * 1024), submission: `n${note}` });
    }
    const stalled = await catchingUp(it);
    await host.advance(untakenMs - 1);
    assert.ok(stalled.toClient() < 300_000, `${stalled.toClient()} bytes of 650 KB wait`);
    assert.equal(it.server.clients, 2);
    const slow = new LineClient((await catchingUp(it)).client);
    await slow.snapshot();
    assert.equal(slow.entries.length, it.pod.snapshot.lastSeq + 1);
    await host.advance(1);
    assert.equal(it.server.clients, 2, "who reads stays, who does not goes");
    const late = new LineClient(stalled.client);
    await late.closed;
    const last = late.lines.at(-1);
    assert.ok(last !== undefined && "event" in last && last.event === "resync", JSON.stringify(last));
    assert.equal(last.after?.seq, late.entries.at(-1)?.seq);
  });
});

/** A client that says hello and reads nothing of what it is given. */
async function catchingUp(it: Served) {
  const pair = it.place.connectPair({ bufferBytes: 1_000 });
  await pair.client.write(encodeLine({ id: "h", method: "hello", params: helloOf() }));
  return pair;
}

describe("the end of a served Pod", () => {
  test("clients are told how the run ended, then that the Pod closes; the lease is free when nobody can connect", async () => {
    const host = memoryHost({ seed: 1 });
    const scenario = JSON.stringify({ steps: [{ text: "One." }] });
    const it = await served({
      host,
      scenario,
      wrapModel: (model) => stuckModel(model, () => "before the answer"),
    });
    const client = await LineClient.hello(await it.place.connect());
    await client.ask("submit", { parts: text("go"), submission: "s" });
    await client.until(
      (line) => "event" in line && line.event === "entry" && line.entry.kind === "llm_request",
      "the request",
    );
    assert.deepEqual(await client.ask("shutdown"), {});
    assert.equal(it.shutdowns.count, 1);
    const closed = it.pod.close();
    const late = await client.ask("submit", { parts: text("late"), submission: "late" });
    assert.ok(
      typeof late === "object" && late !== null && "code" in late && late.code === "closing",
      JSON.stringify(late),
    );
    await host.advance(6_000);
    await closed;
    await client.closed;
    assert.deepEqual(
      client.live.flatMap((live) =>
        live.type === "run_ended" ? [live.run.end.kind] : live.type === "shutdown" ? ["shutdown"] : [],
      ),
      ["paused", "shutdown"],
    );
    assert.equal(client.entries.at(-1)?.kind, "run_paused");
    await assert.rejects(it.place.connect(), /nobody listens/);
    assert.equal(it.leases.size, 0);
    await it.server.close();
  });

  test("a submission that arrives as the Pod closes is on record and answered so, or refused and not on record", async () => {
    const outcomes = new Set<string>();
    for (let moment = 0; moment < 60; moment += 1) {
      const host = memoryHost({ seed: 1 });
      const it = await served({ host, scenario: JSON.stringify({ steps: [{ text: "One." }] }) });
      const client = await LineClient.hello(await it.place.connect());
      await client.snapshot();
      const answer = client.ask("submit", { parts: text("go"), submission: "s" });
      for (let i = 0; i < moment; i += 1) await Promise.resolve();
      const closed = it.pod.close();
      const answered = JSON.stringify(await answer);
      await host.advance(6_000);
      await closed;
      await client.closed;
      const isRefused = answered.includes('"code":"closing"');
      assert.ok(isRefused || answered === '{"id":"4","duplicate":false}', answered);
      const { entries } = await simulatedStores(host, it.leases).sessions.read(it.pod.snapshot);
      assert.equal(
        entries.some(({ kind }) => kind === "user_input"),
        !isRefused,
        `moment ${moment}`,
      );
      outcomes.add(isRefused ? "refused" : "taken");
    }
    assert.deepEqual([...outcomes].sort(), ["refused", "taken"]);
  });

  test("waits at most 2 s for a client that does not read", async () => {
    const host = memoryHost({ seed: 1 });
    const it = await served({ host });
    const pair = it.place.connectPair({ bufferBytes: 100 });
    await pair.client.write(encodeLine({ id: "h", method: "hello", params: helloOf() }));
    for (let i = 0; i < 50; i += 1) await Promise.resolve();
    let isClosed = false;
    const closed = it.pod.close().then(() => (isClosed = true));
    await host.advance(lastLinesMs - 1);
    assert.equal(isClosed, false);
    await host.advance(1);
    await closed;
  });

  test("a place where nobody can listen leaves the Pod as it was", async () => {
    const host = memoryHost({ seed: 1 });
    await using it = await served({ host });
    const refused = async () => Promise.reject(new Error("address in use"));
    const serving = it.pod.serve({
      about: {
        version: "",
        model: "",
        workspace: "",
        sandbox: "on",
        network: false,
        permission_mode: "",
        tools: [],
      },
      listen: refused,
      authorize: everybody,
      timers: host.timers,
      redact: (said) => said,
      shutdown: () => {},
    });
    await assert.rejects(serving, /address in use/);
    const client = await LineClient.hello(await it.place.connect());
    await client.snapshot();
  });
});
