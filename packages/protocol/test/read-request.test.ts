/** What a client says: every method's params, every limit at n and n + 1, and one sentence for whatever is wrong. */
import assert from "node:assert/strict";
import test from "node:test";
import { isJsonObject, jsonDepthMax, skillNameCharsMax } from "@yoi/base";
import {
  approvalReasonCharsMax,
  BadRequest,
  clientNameCharsMax,
  encodeLine,
  entryIdCharsMax,
  idCharsMax,
  pathCharsMax,
  pingCharsMax,
  podNameCharsMax,
  type ProtocolError,
  readHello,
  readRequest,
  rewindTargetsMax,
  requestValuesMax,
} from "../src/index.ts";
import { calls, hello, helloParams } from "./support/sample-lines.ts";

/** Without its LF, as a line reader gives it. */
const bytesOf = (line: string | Uint8Array): Uint8Array =>
  typeof line === "string" ? Buffer.from(line) : line;
const lineOf = (value: object): string => JSON.stringify(value);

function refusal(
  read: (line: Uint8Array) => unknown,
  line: string | Uint8Array,
): { readonly id: string | null; readonly error: ProtocolError } {
  try {
    read(bytesOf(line));
  } catch (error) {
    if (error instanceof BadRequest) return { id: error.id, error: error.error };
    throw error;
  }
  return assert.fail("it was taken");
}

const invalid = (id: string | null, message: string) => ({ id, error: { code: "invalid_request", message } });

test("a hello and every request are read as they were said", () => {
  assert.deepEqual(readHello(encodeLine(hello).subarray(0, -1)), { id: "h", params: helloParams });
  const bare = { protocol: 1, role: "peer", token: "", stream: false };
  assert.deepEqual(readHello(bytesOf(lineOf({ id: "h", method: "hello", params: bare }))), {
    id: "h",
    params: bare,
  });
  for (const call of calls) assert.deepEqual(readRequest(encodeLine(call).subarray(0, -1)), call);
});

test("params may be left out where none is needed, white space may stand around, and the last of a doubled field counts", () => {
  assert.deepEqual(readRequest(bytesOf(' {"id":"1","method":"show"}\t\r')), {
    id: "1",
    method: "show",
    params: {},
  });
  assert.deepEqual(readRequest(bytesOf('{"id":"0","id":"1","method":"cancel","method":"pause"}')), {
    id: "1",
    method: "pause",
    params: {},
  });
});

test("fields that are not known are left out, whatever their name", () => {
  const more = '"later":[1],"__proto__":{"stream":1},"constructor":null,"toString":0';
  const params = `"protocol":1,"role":"user","token":"t","stream":true,${more}`;
  assert.deepEqual(readHello(bytesOf(`{"id":"h","method":"hello",${more},"params":{${params}}}`)), {
    id: "h",
    params: { protocol: 1, role: "user", token: "t", stream: true },
  });
  const read = readRequest(
    bytesOf(
      `{"id":"1","method":"submit",${more},"params":{"submission":"s","parts":[{"type":"text","text":"a",${more}}],${more}}}`,
    ),
  );
  const expected = {
    id: "1",
    method: "submit",
    params: { parts: [{ type: "text", text: "a" }], submission: "s" },
  };
  assert.deepEqual(read, expected);
  // An inherited field would be one that deepEqual does not see.
  assert.equal(Object.getPrototypeOf(read.params), Object.prototype);
  assert.ok(!("stream" in read.params));
});

test("a field is never answered by Object.prototype, or by a __proto__ in the line", () => {
  const line = '{"id":"1","method":"ping","params":{"__proto__":{"text":"inherited"}}}';
  assert.deepEqual(readRequest(bytesOf(line)), { id: "1", method: "ping", params: {} });
  assert.deepEqual(
    refusal(readRequest, '{"__proto__":{"id":"1","method":"show"}}'),
    invalid(null, "id is missing: it is to be a text."),
  );
  assert.match(
    refusal(readRequest, '{"id":"1","method":"__proto__"}').error.message,
    /^method is to be "ping", /,
  );
});

test("the version of a hello is judged before anything else in it", () => {
  const unsupported = (id: string | null, protocol: number) => ({
    id,
    error: {
      code: "protocol_unsupported",
      message: `Protocol ${protocol} is not spoken here: this Pod speaks 1.`,
      versions: [1],
    },
  });
  const rows: readonly (readonly [string, ReturnType<typeof unsupported>])[] = [
    [
      '{"id":"h","method":"hello","params":{"protocol":2,"role":"admin","token":{"kind":"x"}}}',
      unsupported("h", 2),
    ],
    ['{"id":17,"method":"hello","params":{"protocol":99}}', unsupported(null, 99)],
    ['{"method":"hello","params":{"protocol":9007199254740991}}', unsupported(null, Number.MAX_SAFE_INTEGER)],
  ];
  for (const [line, expected] of rows) assert.deepEqual(refusal(readHello, line), expected);
});

test("a hello that is wrong is told what is wrong, and nothing of its token", () => {
  const withParams = (params: object) =>
    lineOf({ id: "h", method: "hello", params: { ...helloParams, ...params } });
  const rows: readonly (readonly [string | Uint8Array, string, (string | null)?])[] = [
    [
      lineOf({ id: "h", method: "show", params: {} }),
      'The first line of a connection is to be a hello, and the method of this one is "show".',
    ],
    [lineOf({ id: "h", method: "hello" }), "params is missing: it is to be an object."],
    [withParams({ protocol: "1" }), 'params.protocol is to be a whole number from 1 on, and is "1".'],
    [withParams({ protocol: 0 }), "params.protocol is to be a whole number from 1 on, and is 0."],
    [withParams({ protocol: 1.5 }), "params.protocol is to be a whole number from 1 on, and is 1.5."],
    [
      withParams({ role: "root" }),
      'params.role is to be "user", "child", "peer" or "send_only", and is "root".',
    ],
    [withParams({ token: ["secret-value"] }), "params.token is to be a text."],
    [withParams({ stream: 1 }), "params.stream is to be true or false, and is 1."],
    [
      withParams({ client: "x".repeat(clientNameCharsMax + 1) }),
      `params.client is to have at most ${clientNameCharsMax} characters, and has ${clientNameCharsMax + 1}.`,
    ],
    [withParams({ after: null }), "params.after is to be an object, and is null."],
    [
      withParams({ after: { segment: "", seq: 0 } }),
      `params.after.segment is to have 1 to ${idCharsMax} characters, and has 0.`,
    ],
    [
      withParams({ after: { segment: "s", seq: -1 } }),
      "params.after.seq is to be a whole number from 0 on, and is -1.",
    ],
    [lineOf({ method: "hello", params: helloParams }), "id is missing: it is to be a text.", null],
  ];
  for (const [line, message, id = "h"] of rows) {
    assert.deepEqual(refusal(readHello, line), invalid(id, message));
  }
});

test("a request that is wrong is told what is wrong, with its id where that could be read", () => {
  const withParams = (method: string, params: unknown) => lineOf({ id: "1", method, params });
  const submit = (parts: unknown) => withParams("submit", { parts, submission: "s" });
  const one = "1";
  const rows: readonly (readonly [string | Uint8Array, string | null, string])[] = [
    ["", null, "The line is not valid JSON: one object a line is expected, and LF only at its end."],
    ['{"id":"1"', null, "The line is not valid JSON: one object a line is expected, and LF only at its end."],
    ["\ufeff{}", null, "The line is not valid JSON: one object a line is expected, and LF only at its end."],
    ["[]", null, "The line is not a JSON object: it is to begin with { and end with }."],
    ["null", null, "The line is not a JSON object: it is to begin with { and end with }."],
    [Buffer.from([0x7b, 0xff, 0x7d]), null, "The line is not UTF-8."],
    // A surrogate in UTF-8, and an overlong NUL.
    [Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), null, "The line is not UTF-8."],
    [Buffer.from([0x22, 0xc0, 0x80, 0x22]), null, "The line is not UTF-8."],
    [lineOf({ method: "show" }), null, "id is missing: it is to be a text."],
    [lineOf({ id: 1, method: "show" }), null, "id is to be a text, and is 1."],
    [lineOf({ id: "", method: "show" }), null, `id is to have 1 to ${idCharsMax} characters, and has 0.`],
    [
      lineOf({ id: "\ud800", method: "show" }),
      null,
      "id holds half of a surrogate pair: it is to be well-formed Unicode.",
    ],
    [lineOf({ id: "1" }), one, "method is missing: it is to be a text."],
    [
      lineOf({ id: "1", method: "squash" }),
      one,
      'method is to be "ping", "show", "submit", "notify", "resume", "cancel", "pause", "answer_approval", "pod_event", "restore_pod", "register_peer", "compact", "undo_compaction", "list_rewind_targets", "rewind", "queue", "unqueue", "run_command", "stop_command", "complete_path", "set_title" or "shutdown", and is "squash".',
    ],
    [
      withParams("run_command", { command: "", submission: "s" }),
      one,
      "params.command is to have 1 to 16384 characters, and has 0.",
    ],
    [
      withParams("run_command", { command: "é".repeat(8_193), submission: "s" }),
      one,
      "params.command is to have at most 16384 bytes, and has 16386: put it into a file of the workspace.",
    ],
    [withParams("stop_command", { id: "x" }), one, 'params.id is to be an id, as "57" or "2-57".'],
    [withParams("set_title", {}), one, "params.title is to be a text, or null for none."],
    [withParams("set_title", { title: 7 }), one, "params.title is to be a text, and is 7."],
    [
      lineOf({ id: "1", method: "hello", params: helloParams }),
      one,
      "A connection has one hello, its first line, and it was said.",
    ],
    [withParams("show", null), one, "params is to be an object, and is null."],
    [withParams("show", []), one, "params is to be an object, and is a list."],
    [withParams("submit", {}), one, "params.parts is missing: it is to be a list."],
    [withParams("submit", { parts: [] }), one, "params.submission is missing: it is to be a text."],
    [submit({}), one, "params.parts is to be a list, and is an object."],
    [submit(["hi"]), one, 'params.parts[0] is to be an object, and is "hi".'],
    [
      submit([{ type: "image", data: "" }]),
      one,
      'params.parts[0].type is to be "text", "file_ref" or "skill_ref", and is "image".',
    ],
    [
      submit([
        { type: "text", text: "" },
        { type: "text", text: ["x"] },
      ]),
      one,
      "params.parts[1].text is to be a text, and is a list.",
    ],
    [
      submit([{ type: "text", text: "a\udc00" }]),
      one,
      "params.parts[0].text holds half of a surrogate pair: it is to be well-formed Unicode.",
    ],
    [
      submit([{ type: "file_ref", path: "a\0b" }]),
      one,
      "params.parts[0].path holds a NUL character: no path does.",
    ],
    [
      submit([{ type: "file_ref", path: "" }]),
      one,
      `params.parts[0].path is to have 1 to ${pathCharsMax} characters, and has 0.`,
    ],
    [
      submit([{ type: "skill_ref", name: "../a" }]),
      one,
      "params.parts[0].name is no name of a skill: these are lower-case letters, digits and single hyphens.",
    ],
    [
      withParams("submit", { parts: [], submission: "s", limits: [] }),
      one,
      "params.limits is to be an object, and is a list.",
    ],
    [
      withParams("resume", { limits: { timeout_ms: 0 } }),
      one,
      "params.limits.timeout_ms is to be a whole number from 1 on, and is 0.",
    ],
    [withParams("notify", { submission: "s" }), one, "params.message is missing: it is to be a text."],
    // What runs is not to be stopped because a client has no name to give.
    [withParams("cancel", { run: null }), one, "params.run is to be a text, and is null."],
    [withParams("pause", { run: 57 }), one, "params.run is to be a text, and is 57."],
    ...["x", "2-", "-57", "0-57", "057", "2-57.0"].map(
      (run) =>
        [
          withParams("pause", { run }),
          one,
          'params.run is to be the id of a run, as "57" or "2-57".',
        ] as const,
    ),
    [
      withParams("answer_approval", { digest: "d", answer: "yes" }),
      one,
      'params.answer is to be "allow" or "deny", and is "yes".',
    ],
    [
      withParams("answer_approval", { digest: "d", answer: "allow", keep: { for: "once", rule: "x" } }),
      one,
      'params.keep.for is to be "session" or "always", and is "once".',
    ],
    [
      withParams("answer_approval", { digest: "d", answer: "allow", keep: { for: "session", rule: "" } }),
      one,
      "params.keep.rule is to have 1 to 4096 characters, and has 0.",
    ],
    [
      withParams("pod_event", { event: "scope_sub_delegated" }),
      one,
      'params.event is to be "hello", "turn_ended", "errored", "shut_down" or "changed", and is "scope_sub_delegated".',
    ],
    [withParams("restore_pod", {}), one, "params.name is missing: it is to be a text."],
    [
      withParams("register_peer", { name: "" }),
      one,
      `params.name is to have 1 to ${podNameCharsMax} characters, and has 0.`,
    ],
    [
      withParams("register_peer", { name: "reviewer", remove: null }),
      one,
      "params.remove is to be true or false, and is null.",
    ],
    [
      withParams("list_rewind_targets", { limit: rewindTargetsMax + 1 }),
      one,
      `params.limit is to be at most ${rewindTargetsMax}, and is ${rewindTargetsMax + 1}.`,
    ],
    [
      withParams("list_rewind_targets", { limit: 0 }),
      one,
      "params.limit is to be a whole number from 1 on, and is 0.",
    ],
    [withParams("rewind", { id: "57" }), one, 'params.side is missing: it is to be "behind" or "before".'],
  ];
  for (const [line, id, message] of rows) assert.deepEqual(refusal(readRequest, line), invalid(id, message));
});

test("each text has its limit: n is taken, n + 1 is refused", () => {
  const request = (method: string, params: object, id = "1") => lineOf({ id, method, params });
  const rows: readonly (readonly [number, (text: string) => string])[] = [
    [idCharsMax, (id) => request("show", {}, id)],
    [idCharsMax, (submission) => request("submit", { parts: [], submission })],
    [idCharsMax, (submission) => request("notify", { message: "m", submission })],
    [pathCharsMax, (path) => request("submit", { parts: [{ type: "file_ref", path }], submission: "s" })],
    [
      skillNameCharsMax,
      (name) => request("submit", { parts: [{ type: "skill_ref", name }], submission: "s" }),
    ],
    [idCharsMax, (digest) => request("answer_approval", { digest, answer: "allow" })],
    [approvalReasonCharsMax, (reason) => request("answer_approval", { digest: "d", answer: "deny", reason })],
    [pingCharsMax, (text) => request("ping", { text })],
    [podNameCharsMax, (name) => request("restore_pod", { name })],
    [podNameCharsMax, (name) => request("register_peer", { name })],
    [entryIdCharsMax, (id) => request("rewind", { id, side: "behind" })],
    [entryIdCharsMax, (head) => request("rewind", { id: "1", side: "behind", expected_head: head })],
    [entryIdCharsMax, (id) => request("list_rewind_targets", { older_than: id })],
  ];
  for (const [max, line] of rows) {
    readRequest(bytesOf(line("x".repeat(max))));
    assert.match(
      refusal(readRequest, line("x".repeat(max + 1))).error.message,
      new RegExp(`^[a-z_.[\\]0]+ is to have (at most|1 to) ${max} characters, and has ${max + 1}\\.$`),
    );
  }
  const named = (client: string) => lineOf({ id: "h", method: "hello", params: { ...helloParams, client } });
  assert.equal(
    readHello(bytesOf(named("x".repeat(clientNameCharsMax)))).params.client?.length,
    clientNameCharsMax,
  );
  refusal(readHello, named("x".repeat(clientNameCharsMax + 1)));
});

test("a line is nested at most as deep, and holds at most as many values, as is cheap to read: n is taken, n + 1 is refused", () => {
  const nested = (depth: number) =>
    `{"id":"1","method":"show","x":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
  readRequest(bytesOf(nested(jsonDepthMax)));
  assert.deepEqual(
    refusal(readRequest, nested(jsonDepthMax + 1)),
    invalid(null, `The line is nested deeper than ${jsonDepthMax} levels.`),
  );
  // The line itself and `x` are values, and so are id and method.
  const wide = (values: number) => `{"id":"1","method":"show","x":[${"0,".repeat(values - 5)}0]}`;
  readRequest(bytesOf(wide(requestValuesMax)));
  assert.deepEqual(
    refusal(readRequest, wide(requestValuesMax + 1)),
    invalid(null, `The line holds more than ${requestValuesMax} values.`),
  );
  // What stands in texts is neither.
  const text = `${'\\"['.repeat(100_000)}${",".repeat(100_000)}\\\\`;
  const read = readRequest(
    bytesOf(`{"id":"1","method":"notify","params":{"message":"${text}","submission":"s"}}`),
  );
  assert.ok(isJsonObject(read.params) && read.params["message"] === JSON.parse(`"${text}"`));
});

test("a sentence quotes little of what somebody else wrote, and nothing that disturbs a terminal", () => {
  const message = (method: string) => refusal(readRequest, lineOf({ id: "1", method })).error.message;
  assert.match(message("\u001b[2J\u202eevil\n"), /, and is "\\u001b\[2J\\u202eevil\\u000a"\.$/);
  assert.match(message("é".repeat(100_000)), /, and is "é{32}\.\.\."\.$/);
  assert.match(message("\ud800"), /, and is "\ufffd"\.$/);
});
