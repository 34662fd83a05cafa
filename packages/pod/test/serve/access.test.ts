/** Who gets in, and what each may do: refused below everything that could do something about it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { podName, YoiError } from "@yoi/base";
import {
  connectionsMax,
  frameBytesMax,
  helloBytesMax,
  helloMs,
  type MethodName,
  methodsOfRole,
  protocolVersions,
  type Role,
  roles,
} from "@yoi/protocol";
import { createAuthorizer } from "../../src/serve/authorizer.ts";
import { childWithToken, tokenDigest } from "../../src/spawn/child-token.ts";
import { helloOf, LineClient, served, text, token } from "./support.ts";

const paramsOf: Readonly<Record<Exclude<MethodName, "hello">, object>> = {
  ping: { text: "x" },
  show: {},
  submit: { parts: text("hi"), submission: "s" },
  notify: { message: "m", submission: "n" },
  resume: {},
  cancel: {},
  pause: {},
  answer_approval: { digest: "d", answer: "allow" },
  pod_event: { event: "shut_down" },
  restore_pod: { name: "child" },
  register_peer: { name: "peer" },
  compact: {},
  undo_compaction: {},
  list_rewind_targets: {},
  rewind: { id: "1", side: "behind" },
  queue: { parts: text("later"), submission: "queued", when: "run_end" },
  unqueue: { id: "7" },
  run_command: { command: "true", submission: "command" },
  stop_command: { id: "7" },
  complete_path: { prefix: "" },
  set_title: { title: "a title" },
  shutdown: {},
};
const methods = Object.keys(paramsOf) as (keyof typeof paramsOf)[];

const childrenOf = (...names: readonly string[]) =>
  names.map((name) => ({ name: podName(name), tokenDigest: tokenDigest(`${name}-token`) }));
const onlyChild = (digest: string) => (digest === tokenDigest("child") ? podName("child") : null);

describe("tokens", () => {
  test("each role's own, read anew, and nothing else; a child is the one that its token belongs to", async () => {
    const tokens = { user: "user-token" as string | null, children: childrenOf("first", "second") };
    const authorize = createAuthorizer({
      userToken: async () => tokens.user,
      childOf: (digest) => childWithToken(tokens.children, digest),
    });
    const shown = [
      "user-token",
      "first-token",
      "second-token",
      "",
      "User-token",
      "user-token ",
      "third-token",
    ];
    const taken = async () =>
      Object.fromEntries(
        await Promise.all(
          roles.map(async (role) => {
            const callers = await Promise.all(shown.map((one) => authorize(role, one)));
            return [role, shown.flatMap((one, at) => (callers[at] ? [[one, callers[at]]] : []))] as const;
          }),
        ),
      );
    const as = (one: string, role: Exclude<Role, "child">) => [[one, { role }]];
    const userToken = (one: string) => ({
      user: as(one, "user"),
      peer: as(one, "peer"),
      send_only: as(one, "send_only"),
    });
    const second = ["second-token", { role: "child", child: "second" }];
    assert.deepEqual(await taken(), {
      ...userToken("user-token"),
      child: [["first-token", { role: "child", child: "first" }], second],
    });
    // Its loan came back: it is nobody from then on.
    tokens.user = "first-token";
    tokens.children = childrenOf("second");
    assert.deepEqual(await taken(), { ...userToken("first-token"), child: [second] });
    for (const none of [null, ""]) {
      tokens.user = none;
      assert.deepEqual(await taken(), { user: [], peer: [], send_only: [], child: [second] });
    }
  });

  test("wrong, old, missing or a child's: one refusal, then the end; one that cannot be read now says nothing about the token", async () => {
    const source = { token: token as string | null, fails: false };
    const authorize = createAuthorizer({
      userToken: async () =>
        source.fails ? Promise.reject(new YoiError("io_failed", "too many open files")) : source.token,
      childOf: onlyChild,
    });
    await using it = await served({ serve: { authorize } });
    const refused = async (role: "user" | "child", shown: string) => {
      const client = new LineClient(await it.place.connect());
      await client.send({ id: "h", method: "hello", params: helloOf({ role, token: shown, stream: false }) });
      const { code } = await client.error("h");
      await client.closed;
      return [code, client.lines.length];
    };
    const isRefused = ["unauthorized", 1];
    assert.deepEqual(await refused("user", "another"), isRefused);
    assert.deepEqual(await refused("user", ""), isRefused);
    assert.deepEqual(await refused("user", "child"), isRefused);
    assert.deepEqual(await refused("child", token), isRefused);
    source.token = "a new one";
    assert.deepEqual(await refused("user", token), isRefused);
    source.fails = true;
    assert.deepEqual(await refused("user", "a new one"), ["busy", 1]);
    assert.equal(it.server.clients, 0);
  });
});

describe("roles", () => {
  test("each method that a role does not have is refused, whatever it asks for, and nothing is done", async () => {
    await using it = await served({
      serve: {
        authorize: createAuthorizer({ userToken: async () => token, childOf: onlyChild }),
      },
    });
    const before = it.pod.snapshot;
    for (const role of roles) {
      const shown = role === "child" ? "child" : token;
      const client = await LineClient.hello(await it.place.connect(), { role, token: shown, stream: false });
      for (const method of methods) {
        if (method === "ping" || methodsOfRole[role].has(method)) continue;
        const refusal = await client.ask(method, paramsOf[method]);
        assert.deepEqual(refusal, {
          code: "forbidden",
          message: `A client with the role ${role} may not call ${method}.`,
        });
      }
      assert.deepEqual(await client.ask("ping", { text: role }), { text: role });
      client.connection.destroy();
    }
    assert.deepEqual([it.pod.snapshot, it.shutdowns.count], [before, 0]);
  });

  test("the stream is for those whose role has it", async () => {
    await using it = await served();
    for (const role of ["user", "peer"] as const) {
      const client = await LineClient.hello(await it.place.connect(), { role });
      await client.snapshot();
    }
    const client = new LineClient(await it.place.connect());
    await client.send({ id: "h", method: "hello", params: helloOf({ role: "send_only" }) });
    assert.equal((await client.error("h")).code, "forbidden");
    await client.closed;
    const quiet = await LineClient.hello(await it.place.connect(), { stream: false });
    await quiet.ask("ping");
    assert.equal(quiet.lines.length, 2, "answers alone");
  });
});

describe("first lines", () => {
  test("a newer protocol is answered with the versions spoken", async () => {
    await using it = await served();
    const client = new LineClient(await it.place.connect());
    await client.sendText('{"id":"h","method":"hello","params":{"protocol":2,"later":true}}\n');
    const { code, versions } = await client.error("h");
    assert.deepEqual([code, versions], ["protocol_unsupported", protocolVersions]);
    await client.closed;
  });

  test("anything but a hello is answered and ends the connection, and so does a hello that does not come", async () => {
    await using it = await served();
    for (const line of [
      "garbage",
      "{}",
      '{"id":"x","method":"shutdown","params":{}}',
      " ".repeat(10) + "x",
    ]) {
      const client = new LineClient(await it.place.connect());
      await client.sendText(`${line}\n`);
      await client.closed;
      assert.deepEqual(
        client.lines.map((one) => ("error" in one ? one.error.code : one)),
        ["invalid_request"],
        line,
      );
    }
    const silent = new LineClient(await it.place.connect());
    await it.host.advance(helloMs - 1);
    assert.equal(silent.lines.length, 0);
    await it.host.advance(1);
    await silent.closed;
    assert.equal((await silent.error(null)).code, "invalid_request");
    assert.equal(it.shutdowns.count, 0);
  });

  test("a hello of 16 KiB is read, one byte more is not; behind it a frame of 16 MiB may come in the same write", async () => {
    await using it = await served();
    const plain = JSON.stringify({ id: "h", method: "hello", params: helloOf({ stream: false }) });
    const padded = (bytes: number) => plain.slice(0, -1) + " ".repeat(bytes - plain.length) + "}";
    const ping = JSON.stringify({ id: "p", method: "ping", params: { text: "x" } });
    const full = ping.slice(0, -1) + " ".repeat(frameBytesMax - ping.length) + "}";
    const good = new LineClient((await it.place.connectPair({ bufferBytes: 2 * frameBytesMax })).client);
    await good.sendText(`${padded(helloBytesMax)}\n${full}\n`);
    assert.deepEqual(await good.answer("p"), { text: "x" });
    await good.sendText(`${full} \n`);
    assert.equal((await good.error(null)).code, "invalid_request");
    await good.closed;
    const long = new LineClient(await it.place.connect());
    await long.sendText(`${padded(helloBytesMax + 1)}\n`);
    assert.equal((await long.error(null)).code, "invalid_request");
    await long.closed;
  });

  test("connection 257 gets one line and ends; its place is free when another one goes", async () => {
    await using it = await served();
    const all = await Promise.all(Array.from({ length: connectionsMax }, () => it.place.connect()));
    const over = new LineClient(await it.place.connect());
    await over.closed;
    assert.deepEqual(
      over.lines.map((one) => ("error" in one ? one.error.code : one)),
      ["busy"],
    );
    all[0]?.destroy();
    await all[0]?.closed;
    for (let i = 0; i < 30; i += 1) await Promise.resolve();
    const client = await LineClient.hello(await it.place.connect(), { stream: false });
    assert.deepEqual([await client.ask("ping"), it.server.clients], [{}, 1]);
    for (const connection of all) connection.destroy();
  });
});

describe("malformed lines", () => {
  test("are answered to their sender only, and the connection stays open", async () => {
    await using it = await served();
    const other = await LineClient.hello(await it.place.connect());
    await other.snapshot();
    const client = await LineClient.hello(await it.place.connect(), { stream: false });
    const bad: readonly (readonly [string, string | null])[] = [
      ["nonsense", null],
      ["\u0000\u0001", null],
      ["[]", null],
      ['{"id":7,"method":"ping"}', null],
      ['{"id":"a","method":"none"}', "a"],
      ['{"id":"b","method":"submit","params":{}}', "b"],
      ['{"id":"c","method":"cancel","params":{"run":"x"}}', "c"],
      ['{"id":"d","method":"hello","params":{}}', "d"],
      ['{"id":"e","method":"__proto__","params":{}}', "e"],
    ];
    for (const [line, id] of bad) {
      const count = client.lines.length;
      await client.sendText(`${line}\n`);
      await client.until((one) => client.lines.indexOf(one) >= count, line);
      const answer = client.lines.at(-1);
      assert.ok(answer !== undefined && "error" in answer, line);
      assert.deepEqual([answer.id, answer.error.code], [id, "invalid_request"], line);
    }
    assert.deepEqual(await client.ask("ping"), {});
    await other.ask("ping");
    assert.equal(other.lines.filter((line) => "error" in line).length, 0);
  });
});
