/** Conformance: a refusal that names a place in the body names the items that stand there, and no others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type CommittedItem, isJsonObject, type JsonObject } from "@yoi/base";
import type { ModelRequest } from "@yoi/model";
import { type Adapter, plain } from "./adapter.ts";
import { call, failureOf, picture, read, requestOf, result, said, thought, user } from "../support.ts";

type Step = string | number;

/** Where the string stands in the body, by itself or as the end of a longer one. */
function pathTo(node: unknown, wanted: string, path: readonly Step[] = []): readonly Step[] | null {
  if (typeof node === "string") return node.endsWith(wanted) ? path : null;
  const inner: readonly (readonly [Step, unknown])[] = Array.isArray(node)
    ? node.map((one, index) => [index, one] as const)
    : isJsonObject(node)
      ? Object.entries(node)
      : [];
  for (const [step, one] of inner) {
    const found = pathTo(one, wanted, [...path, step]);
    if (found !== null) return found;
  }
  return null;
}

const bracketed = (path: readonly Step[]): string =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .slice(1);
const snakeCase = (path: readonly Step[]): readonly Step[] =>
  path
    .map((step) => String(step).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    .map((step, index) => (typeof path[index] === "number" ? Number(step) : step));

/** As each provider writes a path: Anthropic puts the type of what it goes through behind each index. */
const written: { readonly [adapter: string]: (path: readonly Step[], body: unknown) => string } = {
  anthropic: (path, body) => {
    let here: unknown = body;
    return path
      .flatMap((step, depth) => {
        here = (here as JsonObject)[String(step)];
        const type = depth > 1 && typeof step === "number" ? (here as JsonObject)["type"] : undefined;
        return typeof type === "string" ? [step, type] : [step];
      })
      .join(".");
  },
  openai: (path) => `Invalid '${bracketed(path)}'`,
  google: (path) => `Invalid value at '${bracketed(snakeCase(path))}' (TYPE_BYTES)`,
  "openai-compatible": (path) => `${bracketed(path)}`,
};

export function namedConformance(adapter: Adapter): void {
  const thoughtOf = (seq: number, signature: string): CommittedItem[] => {
    const metadata = adapter.metadata({ type: "reasoning", text: "Hm.", signature }, 0);
    return adapter.signs && metadata !== undefined
      ? [thought(seq, "Hm.", metadata, { provider: adapter.name })]
      : [];
  };
  const items: readonly CommittedItem[] = [
    user(1, "go"),
    ...thoughtOf(3, "c2lnbmF0dXJlMQ=="),
    call(4, 2, 0, "{}"),
    call(5, 2, 1, "{}"),
    result(6, 2, 0, "one", { images: [picture("aW1hZ2Ux"), picture("aW1hZ2Uy")] }),
    result(7, 2, 1, "two", { images: [picture("aW1hZ2Uz")] }),
    ...thoughtOf(9, "c2lnbmF0dXJlMg=="),
    call(10, 8, 0, "{}"),
    result(11, 8, 0, "three", { images: [picture("aW1hZ2U0")] }),
    ...thoughtOf(13, "c2lnbmF0dXJlMw=="),
    said(14, "done"),
    user(15, "and?"),
  ];
  const { head } = requestOf([]);
  const request: ModelRequest = requestOf(items, {
    head: { ...head, config: { ...head.config, images: true } },
  });

  test(`${adapter.name}: a refusal that says where it is names the items that stand there`, async () => {
    let body: unknown = null;
    await adapter.bench([plain], async (bench) => {
      assert.equal((await read(bench.model, request)).terminal.type, "finish");
      body = bench.requests[0]?.body;
    });
    const write = written[adapter.name];
    assert.ok(write);
    const at = (wanted: string): string => {
      const path = pathTo(body, wanted);
      assert.ok(path, wanted);
      return write(path, body);
    };
    const rows: readonly (readonly [string, readonly number[] | undefined])[] = [
      [`${at("aW1hZ2Uy")}: image is not valid`, [6]],
      [`${at("aW1hZ2U0")}: image is not valid`, [11]],
      [`${at("aW1hZ2Uz")}, ${at("aW1hZ2U0")}: images are not valid`, [7, 11]],
      ["Could not process image", undefined],
      [`${at("aW1hZ2Uy")}`.replaceAll(/\d+/g, "99") + ": image is not valid", undefined],
      [`${at("aW1hZ2Uz")}: unknown variant \`image_url\`, expected \`text\``, undefined],
      ...(adapter.signs
        ? ([
            [`${at("c2lnbmF0dXJlMg==")}: ${badSignature}`, [9]],
            [`${at("c2lnbmF0dXJlMQ==")}: ${badSignature}`, [3]],
            [badSignature, undefined],
          ] as const)
        : []),
    ];
    const refusals = rows.map(([message]) => adapter.refusal(400, "invalid_request", message));
    await adapter.bench(refusals, async (bench) => {
      for (const [message, expected] of rows)
        assert.deepEqual(failureOf(await read(bench.model, request)).items, expected, message);
      assert.equal(bench.requests.length, rows.length, "nothing is sent to find out");
    });
  });

  test(`${adapter.name}: a body that is too large is so for its images where they are most of it`, async () => {
    const large = picture("A".repeat(20_000));
    const of = (images: boolean, text: string): ModelRequest =>
      requestOf([user(1, text), call(3, 2, 0, "{}"), result(4, 2, 0, "one", { images: [large] })], {
        head: { ...head, config: { ...head.config, images } },
      });
    const tooLarge = adapter.refusal(413, null, "Request Entity Too Large");
    await adapter.bench([tooLarge, tooLarge, tooLarge], async (bench) => {
      const about = async (one: ModelRequest) => {
        const { kind, about: what, items: named } = failureOf(await read(bench.model, one));
        return [kind, what, named];
      };
      assert.deepEqual(await about(of(true, "go")), ["context_overflow", "images", undefined]);
      assert.deepEqual(await about(of(true, "x".repeat(30_000))), ["context_overflow", undefined, undefined]);
      assert.deepEqual(await about(of(false, "go")), ["context_overflow", undefined, undefined]);
    });
  });
}

/** In words that mean a signature to each of them. */
const badSignature =
  "Invalid `signature` in `thinking` block, encrypted content could not be verified, thought signature is not valid";
