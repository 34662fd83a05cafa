/** Credentials in entries: wherever text from outside can stand it is looked through, what comes back is what was stored, and yoi's own words stay. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callId, type Entry, type EntryBody } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { Blobs } from "../src/blobs.ts";
import { encodeEntry, entryBytesMax } from "../src/encode-entry.ts";
import { createSessionStore, replay, type Redact, segmentPath, tracePath } from "../src/index.ts";
import { noSum } from "../src/line.ts";
import { input, opening, refOf, startOf } from "./conformance.ts";
import { inboxBodies, notice } from "./support/inbox-log.ts";
import { sampleBodies, sampleRef, sampleStart } from "./support/sample-log.ts";
import { dataDir, read } from "./support/small-segment.ts";

const secret = "sk-canary-0123456789";
const redact: Redact = (text) => text.replaceAll(secret, "[redacted: key]");

async function encoded(body: EntryBody, how: Redact | null): Promise<{ line: string; entry: Entry }> {
  const host = memoryHost({ seed: 1 });
  const blobs = new Blobs(host.files, dataDir, sampleRef.session);
  const seq = body.kind === "segment_start" ? 0 : 5;
  const { bytes, entry } = await encodeEntry({ seq, batch: seq, ts: 0, previousSum: noSum }, body, {
    blobs,
    redact: how,
  });
  return { line: Buffer.from(bytes).toString(), entry };
}

const bodies: readonly EntryBody[] = [
  {
    ...sampleStart,
    kind: "segment_start",
    carried: 0,
    paused: { reason: "network", detail: "it is gone", until: 9 },
  },
  ...sampleBodies,
  { kind: "inbox_accepted", item: notice("news", { reason: "a push", record: { type: "seen" } }) },
  { kind: "system_item", item: notice("news"), delivers: 4 },
  {
    kind: "extension",
    domain: "metrics",
    payload: { status: "s", nested: [{ type: "t", tools: ["Read"], kind: { code: "c" } }] },
  },
  { kind: "extension", domain: "metrics", payload: "text" },
  { kind: "user_input", parts: [{ type: "file_ref", path: "a.txt" }] },
  {
    kind: "input_queued",
    parts: [{ type: "text", text: "later" }],
    when: "run_end",
    submission: "s-1",
  },
  { kind: "input_unqueued", queued: 4 },
  {
    kind: "approval_asked",
    call: callId(3, 0),
    digest: "a".repeat(64),
    reason: "a rule wants it",
    expires: 9,
  },
  {
    kind: "approval_answered",
    call: callId(3, 0),
    digest: "a".repeat(64),
    answer: "deny",
    reason: "not with that",
  },
  {
    kind: "projection",
    projection: { prune_before: null, reasoning_before: 7 },
    reason: "reasoning_refused",
    message: "It was refused.",
  },
  {
    kind: "assistant_partial",
    request: 3,
    index: 0,
    block: "tool_call",
    name: "Bash",
    from: 0,
    text: "{",
  },
  {
    kind: "tool_result",
    item: {
      type: "tool_result",
      call: callId(3, 0),
      name: "Read",
      summary: "read",
      images: [{ type: "image", media_type: "image/png", data: "AAAA" }],
      is_error: false,
      record: { seen: ["a"], sha256: "b" },
    },
  },
];

/** Every string in the body with its path, and the body with another string there. */
function* leaves(
  value: unknown,
  path = "",
): Generator<{ path: string; put: (text: string) => unknown; text: string }> {
  if (typeof value === "string") yield { path, text: value, put: (text) => text };
  if (typeof value !== "object" || value === null) return;
  for (const [name, each] of Object.entries(value)) {
    for (const leaf of leaves(each, `${path}.${Array.isArray(value) ? "*" : name}`)) {
      const put = (text: string): unknown =>
        Array.isArray(value)
          ? value.with(Number(name), leaf.put(text))
          : { ...value, [name]: leaf.put(text) };
      yield { ...leaf, put };
    }
  }
}

describe("a credential", () => {
  test("is taken out of every field of every kind that can hold text from outside", async () => {
    const kept = new Set<string>();
    let looked = 0;
    for (const body of bodies) {
      for (const { path, text, put } of leaves(body)) {
        const planted = put(text + secret) as EntryBody;
        // A field of closed words or digests holds no such text at all.
        const plain = await encoded(planted, null).catch(() => null);
        if (plain === null) continue;
        looked += 1;
        assert.ok(plain.line.includes(secret), "control: it is there without redaction");
        const { line, entry } = await encoded(planted, redact);
        if (line.includes(secret)) kept.add(`${body.kind}${path}`);
        else assert.ok(!JSON.stringify(entry).includes(secret), path);
      }
    }
    assert.ok(looked > 60, `${looked} fields`);
    // yoi's own: what it was configured with, its tools (their digest stands beside them), its version and adapters.
    assert.deepEqual([...kept].toSorted(), [
      "assistant_item.item.provider_data.provider",
      "config_changed.config.model",
      "config_changed.config.reasoning",
      "extension.domain",
      "llm_request.adapter.name",
      "llm_request.adapter.version",
      "llm_request.config.model",
      "llm_request.digest",
      "llm_request.tools",
      "llm_request.wire.method",
      "opened.version",
      "run_errored.code",
      "segment_start.config.model",
      "tools_changed.tools.*.description",
      "tools_changed.tools.*.input_schema.properties.command.type",
      "tools_changed.tools.*.input_schema.type",
      "tools_changed.tools.*.name",
    ]);
  });

  const call = (args: string): EntryBody => ({
    kind: "assistant_item",
    request: 3,
    index: 0,
    item: { type: "tool_call", call: callId(3, 0), name: "Bash", arguments: args },
  });
  const number = "123456789012345";
  const numbers: Redact = (text) =>
    text.replaceAll(number, "[redacted: n]").replaceAll(secret, "[redacted: key]");
  const cases: readonly (readonly [string, string])[] = [
    [`{"command": "echo ${secret}"}`, '{"command": "echo [redacted: key]"}'],
    [`{"${secret}":1}`, '{"[redacted: key]":1}'],
    [`{"n": ${number}, "s": "${secret}"}`, '{"n":"[redacted: n]","s":"[redacted: key]"}'],
    [`{"n": [1, ${number}]}`, '{"n":[1,"[redacted: n]"]}'],
    [`{"command": "cut ${secret}`, '{"command": "cut [redacted: key]'],
    ['{"a": 1}', '{"a": 1}'],
  ];
  test("in arguments leaves JSON text that is JSON", async () => {
    for (const [from, to] of cases) {
      const { entry } = await encoded(call(from), numbers);
      assert.ok(entry.kind === "assistant_item" && entry.item.type === "tool_call");
      assert.equal(entry.item.arguments, to);
    }
  });

  test("in how far a feature has told leaves no name or value with it", async () => {
    const item = { type: "system_item", kind: "notification", source: "user:a", body: "news" } as const;
    const position = { [secret]: [secret] };
    const { line, entry } = await encoded({ kind: "inbox_accepted", item, position }, numbers);
    assert.ok(entry.kind === "inbox_accepted" && !line.includes(secret));
    assert.deepEqual([entry.item, entry.position], [item, { "[redacted: key]": ["[redacted: key]"] }]);
  });

  test("in the payload of an extension leaves no name, value or number with it, whatever it is called", async () => {
    const payload = { [secret]: [secret], type: secret, status: { digest: secret }, n: Number(number) };
    const { entry } = await encoded({ kind: "extension", domain: "metrics", payload }, numbers);
    assert.ok(entry.kind === "extension");
    const gone = "[redacted: key]";
    assert.deepEqual(entry.payload, {
      [gone]: [gone],
      type: gone,
      status: { digest: gone },
      n: "[redacted: n]",
    });
  });

  test("in a notice is gone before it waits, so what is delivered is what was accepted", async () => {
    const accepted = await encoded({ kind: "inbox_accepted", item: notice(`a ${secret} b`) }, redact);
    assert.ok(accepted.entry.kind === "inbox_accepted");
    assert.equal(accepted.entry.item.body, "a [redacted: key] b");
    const { item } = accepted.entry;
    const delivered = await encoded({ kind: "system_item", item, delivers: 5 }, redact);
    assert.ok(delivered.entry.kind === "system_item");
    assert.deepEqual(delivered.entry.item, item);
  });

  test("in a name or an id leaves what a provider takes, the same for a call and its result", async () => {
    const name = `x${secret}`;
    const { entry } = await encoded(
      {
        kind: "assistant_item",
        request: 3,
        index: 0,
        item: { type: "tool_call", call: callId(3, 0), name, arguments: "{}", provider_call_id: secret },
      },
      redact,
    );
    const result = await encoded(
      {
        kind: "tool_result",
        item: { type: "tool_result", call: callId(3, 0), name, summary: "no such tool", is_error: true },
      },
      redact,
    );
    assert.ok(entry.kind === "assistant_item" && entry.item.type === "tool_call");
    assert.ok(result.entry.kind === "tool_result");
    assert.equal(entry.item.name, "x_redacted_key_");
    assert.equal(entry.item.provider_call_id, "_redacted_key_");
    assert.equal(result.entry.item.name, entry.item.name);
    assert.equal(result.entry.item.call, entry.item.call);
  });

  test("in reasoning takes the signature with it, which is of another text now", async () => {
    const item = (text: string, signature: string) =>
      ({
        type: "reasoning",
        text,
        status: "completed",
        provider_data: { provider: "anthropic", metadata: { signature } },
      }) as const;
    const stored = async (text: string, signature: string) => {
      const { entry } = await encoded(
        { kind: "assistant_item", request: 3, index: 0, item: item(text, signature) },
        redact,
      );
      assert.ok(entry.kind === "assistant_item");
      return entry.item;
    };
    assert.deepEqual(await stored("thought", "signed"), item("thought", "signed"));
    assert.deepEqual(await stored(`thought ${secret}`, "signed"), {
      type: "reasoning",
      text: "thought [redacted: key]",
      status: "completed",
    });
  });
});

test("a credential that is the reason of a pause leaves the start of the segment that goes on with it", async () => {
  const start = { ...sampleStart, kind: "segment_start", carried: 0 } as const;
  const paused = { reason: "network", detail: "no network" } as const;
  const { entry } = await encoded({ ...start, paused }, (text) =>
    text.replaceAll("network", "[redacted: n]"),
  );
  assert.ok(entry.kind === "segment_start");
  assert.deepEqual(entry.paused, { reason: "network", detail: "no [redacted: n]" });
});

describe("a store that redacts", () => {
  const store = (host: ReturnType<typeof memoryHost>) => createSessionStore({ ...host, dataDir, redact });

  test("gives back what it stored: prompt, entries, large payloads; live history is the replay", async () => {
    const host = memoryHost({ seed: 1 });
    const start = { ...startOf(host.ids), prompt: `Your key is ${secret}.` };
    const { writer, entries } = await store(host).create(start, opening);
    const large = `${secret} ${"x".repeat(entryBytesMax)}`;
    const live = [...entries, ...(await writer.append([input(`a ${secret} b`), input(large)]))];
    await writer.close();
    assert.ok(!JSON.stringify(live).includes(secret));
    const view = await store(host).read(refOf(start));
    assert.deepEqual(view.entries, live);
    assert.deepEqual(replay(view.entries).items, replay(live).items);
    assert.equal(replay(live).prompt, "Your key is [redacted: key].");
    const directory = `${dataDir}/sessions/${start.session_id}`;
    const blobs = await host.files.list(`${directory}/blobs`);
    assert.equal(blobs.length, 1);
    const paths = [
      segmentPath(dataDir, refOf(start)),
      ...(await host.files.list(`${directory}/blobs/${blobs[0]}`)).map(
        (name) => `${directory}/blobs/${blobs[0]}/${name}`,
      ),
    ];
    for (const path of paths) assert.ok(!(await read(host, path)).includes(secret), path);
  });

  test("and one that does not: control", async () => {
    const host = memoryHost({ seed: 1 });
    const start = startOf(host.ids);
    const { writer } = await createSessionStore({ ...host, dataDir }).create(start, opening);
    await writer.append([input(`a ${secret} b`)]);
    assert.ok((await read(host, segmentPath(dataDir, refOf(start)))).includes(secret));
  });

  test("its trace holds none either", async () => {
    const host = memoryHost({ seed: 1 });
    const start = startOf(host.ids);
    await store(host).create(start, opening);
    const trace = await store(host).openTrace(refOf(start));
    await trace.append(`{"title":"${secret}"}\n`);
    assert.equal(
      (await read(host, tracePath(dataDir, refOf(start)))).toString(),
      '{"title":"[redacted: key]"}\n',
    );
  });

  test("takes a credential that is a word of yoi's own for one, and the log stays a log", async () => {
    const words = [
      "assistant_message",
      "tool_result",
      "user_send",
      "interrupted",
      "finished",
      "completed",
      "text",
      "claude",
    ];
    for (const word of words) {
      const host = memoryHost({ seed: 1 });
      const all = createSessionStore({
        ...host,
        dataDir,
        redact: (text) => text.replaceAll(word, "[redacted: w]"),
      });
      const start = startOf(host.ids);
      const { writer } = await all.create(start, opening);
      const written = [...sampleBodies, ...inboxBodies.slice(3)];
      for (const body of written) await writer.append([body]);
      const view = await all.read(refOf(start));
      assert.equal(view.damage, null, word);
      assert.equal(view.entries.length, 3 + written.length);
    }
  });
});
