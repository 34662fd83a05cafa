/** Handles: nothing without its grant, nothing after the end, and the bounds, also where the port behind them is careless. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonDepthMax, type JsonObject, type JsonValue, YoiError } from "@yoi/base";
import {
  type FeatureHandles,
  featureId,
  type FeatureResponse,
  type HostAuthority,
  type PodManagement,
  type StoredState,
} from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import { createFeatureStateStore } from "@yoi/keep";
import { featureFileBytesMax, featureNamesMax, featureResponseBytesMax } from "@yoi/tools";
import { makeHandles } from "../../../src/feature/authorities/make-handles.ts";
import { featureStateBytesMax } from "../../../src/feature/authorities/state-handle.ts";
import type { FeatureHost } from "../../../src/feature/feature-host.ts";

const feature = featureId("user:a");

/** A host that lets everything through, and counts it: what holds, the handle alone holds. */
class CarelessHost implements FeatureHost {
  readonly calls: string[] = [];
  readonly response: FeatureResponse = { status: 200, headers: { a: "b" }, text: "ok", truncated: false };
  text = "content";
  names: readonly string[] = ["a", "b/"];
  stored: StoredState | null = null;
  written: JsonValue = null;
  failure: Error | null = null;

  readonly #did = async <T>(call: string, result: () => T): Promise<T> => {
    this.calls.push(call);
    if (this.failure !== null) throw this.failure;
    return result();
  };

  readonly approvalOf = async () => null;
  readonly redact = (text: string) => text.replaceAll("hunter2", "[redacted: pin]");
  readonly files = () => ({
    read: (path: string) => this.#did(`read ${path}`, () => this.text),
    write: (path: string) => this.#did(`write ${path}`, () => {}),
    list: (path: string) => this.#did(`list ${path}`, () => this.names),
  });
  readonly fetch = () => ({ get: (url: string) => this.#did(`get ${url}`, () => this.response) });
  readonly secret = (id: string) => ({ id, read: () => this.#did(`secret ${id}`, () => "value") });
  readonly pods: PodManagement | null = null;
  readonly state = (_: string, name: string) => ({
    read: () => this.#did(`state ${name}`, () => this.stored),
    write: (value: JsonValue) => {
      this.written = value;
      return this.#did(`store ${name}`, () => 1);
    },
  });
}

function handlesWith(...granted: readonly HostAuthority[]) {
  const host = new CarelessHost();
  const life = { isOver: false };
  return { host, life, handles: makeHandles(feature, { granted, denied: [] }, host, life) };
}

const grantedFiles: readonly HostAuthority[] = [
  { kind: "filesystem", access: "write", path: "src" },
  { kind: "filesystem", access: "read", path: "/usr/share" },
];
const everything: readonly HostAuthority[] = [
  ...grantedFiles,
  { kind: "network", hosts: ["example.org", "*.example.net"] },
  { kind: "secret_ref", id: "web/key" },
  { kind: "state_store", name: "notes" },
];

function files(handles: FeatureHandles) {
  assert.ok(handles.files !== null);
  return handles.files;
}
function fetching(handles: FeatureHandles) {
  assert.ok(handles.fetch !== null);
  return handles.fetch;
}
function state(handles: FeatureHandles) {
  const store = handles.state("notes");
  assert.ok(store !== null);
  return store;
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => "done",
    (thrown: unknown) => thrown,
  );
  return error instanceof YoiError ? error.code : String(error);
}

test("there is no handle without its grant", () => {
  const { handles } = handlesWith({ kind: "model_notification" }, { kind: "secret_ref", id: "a" });
  assert.deepEqual(
    [handles.files, handles.fetch, handles.secret("b"), handles.secret("__proto__"), handles.state("a")],
    [null, null, null, null, null],
  );
  assert.equal(handles.secret("a")?.id, "a");
});

test("handles are frozen, and hold nothing but their methods", () => {
  const { handles } = handlesWith(...everything);
  const table: readonly (readonly [object | null, readonly string[]])[] = [
    [handles, ["files", "fetch", "secret", "pods", "state"]],
    [handles.files, ["read", "write", "list"]],
    [handles.fetch, ["get"]],
    [handles.secret("web/key"), ["id", "read"]],
    [handles.state("notes"), ["read", "write"]],
  ];
  for (const [handle, keys] of table) {
    assert.ok(handle !== null && Object.isFrozen(handle));
    assert.deepEqual(Reflect.ownKeys(handle), keys);
    assert.equal(Object.getPrototypeOf(handle), Object.prototype);
  }
});

test("every handle is dead once its life is over, and the port is not asked", async () => {
  const { host, life, handles } = handlesWith(...everything);
  const store = state(handles);
  const secret = handles.secret("web/key");
  const calls = [
    () => files(handles).read("src/a"),
    () => files(handles).write("src/a", "text"),
    () => files(handles).list("src"),
    () => fetching(handles).get("https://example.org/"),
    () => secret?.read() ?? Promise.resolve(),
    () => store.read(),
    () => store.write(1, { version: 1, expected: null }),
  ];
  for (const call of calls) assert.equal(await codeOf(call()), "done");
  host.calls.length = 0;
  life.isOver = true;
  for (const call of calls) assert.equal(await codeOf(call()), "authority_denied");
  assert.deepEqual(host.calls, []);
});

test("files: only what was granted, whatever the port would do", async () => {
  const table: readonly (readonly [verb: "read" | "write" | "list", path: unknown, code: string])[] = [
    ["read", "src/a", "done"],
    ["write", "src/a", "done"],
    ["list", "src", "done"],
    ["read", "/usr/share/dict", "done"],
    ["write", "/usr/share/dict", "out_of_scope"],
    ["read", "src/../secret", "out_of_scope"],
    ["read", "srcs/a", "out_of_scope"],
    ["read", "/src/a", "out_of_scope"],
    ["list", ".", "out_of_scope"],
    ["list", "/usr", "out_of_scope"],
    ["read", "/proc/self/environ", "out_of_scope"],
    ["read", "", "out_of_scope"],
    ["read", "src/\0", "out_of_scope"],
    ["read", { toString: () => "src/a" }, "feature_invalid"],
  ];
  for (const [verb, path, code] of table) {
    const { host, handles } = handlesWith(...grantedFiles);
    const call = files(handles)[verb] as (path: unknown, text: string) => Promise<unknown>;
    assert.equal(await codeOf(call(path, "text")), code, JSON.stringify([verb, path]));
    assert.equal(host.calls.length, code === "done" ? 1 : 0);
  }
});

test("fetch: only hosts that were granted, and the port sees one spelling of the URL", async () => {
  const table: readonly (readonly [url: unknown, asked: string | null])[] = [
    ["https://example.org/a?b#c", "get https://example.org/a?b#c"],
    ["HTTP://EXAMPLE.org:80/a/../b", "get http://example.org/b"],
    ["https://x.y.example.net", "get https://x.y.example.net/"],
    ["https:\\\\example.org\\a", "get https://example.org/a"],
    ["https://example.net/", null],
    ["https://evil.org/", null],
    ["https://example.org.evil.org/", null],
    ["https://example.org@evil.org/", null],
    ["https://evil.org\\@example.org/", null],
    ["https://user:pw@example.org/", null],
    ["https://user@example.org/", null],
    ["https://:pw@example.org/", null],
    ["https://example.org./", "get https://example.org./"],
    ["https://127.0.0.1/", null],
    ["https://0x7f.1/", null],
    ["https://[::1]/", null],
    ["file:///etc/passwd", null],
    ["data:text/plain,a", null],
    ["ftp://example.org/", null],
    ["example.org", null],
    ["", null],
    [{ toString: () => "https://example.org/" }, null],
  ];
  for (const [url, asked] of table) {
    const { host, handles } = handlesWith(...everything);
    assert.equal(
      await codeOf(fetching(handles).get(url as string)),
      asked === null ? "web_refused" : "done",
      String(url),
    );
    assert.deepEqual(host.calls, asked === null ? [] : [asked]);
  }
});

test("A2-51, F-10: what comes through a handle is bounded, at n and n+1", async () => {
  const sized = (bytes: number) => "x".repeat(bytes);
  const { host, handles } = handlesWith(...everything);
  for (const [bytes, code] of [
    [featureFileBytesMax, "done"],
    [featureFileBytesMax + 1, "limit_exceeded"],
  ] as const) {
    host.text = sized(bytes);
    assert.equal(await codeOf(files(handles).read("src/a")), code);
    assert.equal(await codeOf(files(handles).write("src/a", sized(bytes))), code);
    // A text in quotes has two bytes more.
    host.stored = {
      version: 1,
      revision: 1,
      value: sized(featureStateBytesMax - 2 + bytes - featureFileBytesMax),
    };
    assert.equal(await codeOf(state(handles).read()), code);
    assert.equal(await codeOf(state(handles).write(host.stored.value, { version: 1, expected: null })), code);
  }
  for (const [count, code] of [
    [featureNamesMax, "done"],
    [featureNamesMax + 1, "limit_exceeded"],
  ] as const) {
    host.names = Array.from({ length: count }, (_, index) => String(index));
    assert.equal(await codeOf(files(handles).list("src")), code);
  }
  for (const over of [0, 1]) {
    Object.assign(host.response, { text: `${sized(featureResponseBytesMax - 2)}é${sized(over)}` });
    const { text, truncated } = await fetching(handles).get("https://example.org/");
    assert.deepEqual([text.length, truncated], [featureResponseBytesMax - 1, over === 1]);
  }
  const deep = (depth: number): JsonObject => (depth === 0 ? {} : { in: deep(depth - 1) });
  const write = (value: JsonValue) => codeOf(state(handles).write(value, { version: 1, expected: null }));
  assert.deepEqual(
    [await write(deep(jsonDepthMax - 1)), await write(deep(jsonDepthMax))],
    ["done", "limit_exceeded"],
  );
});

test("values are frozen copies, and a failure is a code and a bounded sentence, with no object of the host behind it", async () => {
  const { host, handles } = handlesWith(...everything);
  const value = { list: [1] };
  host.stored = { version: 2, revision: 3, value };
  const stored = await state(handles).read();
  assert.deepEqual(stored, host.stored);
  assert.ok(stored !== host.stored && stored.value !== value);
  assert.ok(Object.isFrozen(stored) && Object.isFrozen(stored.value));
  await state(handles).write(value, { version: 1, expected: null });
  assert.deepEqual(host.written, value);
  assert.ok(host.written !== value && Object.isFrozen(host.written));
  const names = await files(handles).list("src");
  assert.ok(Object.isFrozen(names) && names !== host.names);
  const response = await fetching(handles).get("https://example.org/");
  assert.ok(
    Object.isFrozen(response) &&
      Object.isFrozen(response.headers) &&
      response.headers !== host.response.headers,
  );

  for (const [failure, code] of [
    [new YoiError("secret_unknown", "There is no hunter2.", { cause: host }), "secret_unknown"],
    [Object.assign(new Error("There is no hunter2."), { host }), "io_failed"],
  ] as const) {
    host.failure = failure;
    const error: unknown = await handles
      .secret("web/key")
      ?.read()
      .catch((thrown: unknown) => thrown);
    assert.ok(error instanceof YoiError && error !== failure);
    assert.deepEqual(
      [error.code, error.message, error.cause],
      [code, "There is no [redacted: pin].", undefined],
    );
    assert.ok(!Reflect.ownKeys(error).includes("host"));
  }
});

test("state: what cannot be a revision, a version or JSON is refused before the store is asked", async () => {
  const { host, handles } = handlesWith(...everything);
  const write = (value: unknown, version: unknown, expected: unknown) =>
    codeOf(
      state(handles).write(value as JsonValue, { version: version as number, expected: expected as number }),
    );
  const table = [
    [1, 0, null],
    [1, 1.5, null],
    [1, "1", null],
    [1, 1, 0],
    [1, 1, undefined],
    [1, 1, "1"],
    [undefined, 1, null],
    [1n, 1, null],
    [() => 1, 1, null],
  ] as const;
  for (const [value, version, expected] of table)
    assert.equal(await write(value, version, expected), "feature_invalid");
  assert.deepEqual(host.calls, []);
});

test("F-25: a state outlives its Pod, counts its revisions, keeps its version, and no write is lost to another", async () => {
  const machine = memoryHost({ seed: 5 });
  const kept = createFeatureStateStore({
    files: machine.files,
    ids: machine.ids,
    dataDir: "/data",
    inspect: async (path) => {
      const stat = await machine.files.stat(path);
      return stat === null
        ? null
        : {
            kind: stat.kind === "directory" ? "directory" : "file",
            mode: stat.kind === "directory" ? 0o700 : 0o600,
            own: true,
          };
    },
  });
  const host = Object.assign(new CarelessHost(), { state: kept });
  const open = () =>
    state(
      makeHandles(feature, { granted: [{ kind: "state_store", name: "notes" }], denied: [] }, host, {
        isOver: false,
      }),
    );
  const [first, second] = [open(), open()];
  assert.equal(await first.read(), null);
  assert.equal(await first.write({ notes: ["a"] }, { version: 1, expected: null }), 1);
  assert.equal(await second.write({ notes: ["a", "b"] }, { version: 2, expected: 1 }), 2);
  assert.equal(await codeOf(first.write({ notes: [] }, { version: 1, expected: 1 })), "state_conflict");
  assert.equal(await codeOf(first.write({ notes: [] }, { version: 1, expected: null })), "state_conflict");
  assert.deepEqual(await open().read(), { version: 2, revision: 2, value: { notes: ["a", "b"] } });
});
