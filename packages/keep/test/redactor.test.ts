/** Taking known values out of text: every form of them, what a cut leaves of them, and what comes in pieces. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  createKnownSecrets,
  createRedactor,
  differentCharactersMin,
  fragmentLengthMin,
  redactedLengthMin,
  whyNotSought,
} from "../src/index.ts";

const key = "sk-ant-api03-Qx7/Wm+2Zt9-canary_0123456789abcdefXYZ";
const odd = 'pa"ss\\wörd /+&= 0123456789';
const secrets = [
  { id: "providers/anthropic/default", value: key },
  { id: "ODD", value: odd },
];
const jwt =
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJtZSJ9.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c";
const { text: redact } = createRedactor(secrets);
const marker = "[redacted: providers/anthropic/default]";

describe("a value", () => {
  const json = JSON.stringify(odd).slice(1, -1);
  const base64 = (prefix: string): string => Buffer.from(prefix + odd + "suffix").toString("base64");
  const cases: readonly (readonly [string, string, string | RegExp])[] = [
    ["as it is", `key ${key}.`, `key ${marker}.`],
    ["twice, and side by side", `${key}${key} ${key}`, `${marker}${marker} ${marker}`],
    ["in JSON", JSON.stringify({ odd }), '{"odd":"[redacted: ODD]"}'],
    [
      "in JSON in JSON",
      JSON.stringify({ args: JSON.stringify({ odd }) }),
      '{"args":"{\\"odd\\":\\"[redacted: ODD]\\"}"}',
    ],
    ["with escaped slashes", `{"a":"${key.replaceAll("/", "\\/")}"}`, `{"a":"${marker}"}`],
    ["percent-encoded", `?k=${encodeURIComponent(odd)}&b`, "?k=[redacted: ODD]&b"],
    [
      "percent-encoded, lower case",
      `?k=${encodeURIComponent(odd).replaceAll(/%../g, (c) => c.toLowerCase())}`,
      "?k=[redacted: ODD]",
    ],
    ["in Base64 at 0", base64(""), /^\[redacted: ODD\].{1,12}$/],
    ["in Base64 at 1", base64("a"), /^.{1,3}\[redacted: ODD\].{1,12}$/],
    ["in Base64 at 2", base64("ab"), /^.{1,4}\[redacted: ODD\].{1,12}$/],
    [
      "in Base64 for URLs",
      Buffer.from(`\u00ff\u00fe${odd}`).toString("base64url"),
      /^.{1,6}\[redacted: ODD\].{0,3}$/,
    ],
    ["escaped by hand", `x ${json} y`, "x [redacted: ODD] y"],
  ];
  for (const [name, text, expected] of cases) {
    test(`${name} is replaced`, () => {
      if (typeof expected === "string") assert.equal(redact(text), expected);
      else assert.match(redact(text), expected);
    });
  }

  const learnt = (value: string) => {
    const known = createKnownSecrets();
    known.learn({ id: "it", value });
    return { known, isSought: known.redact(`a ${value} b`) !== `a ${value} b` };
  };

  test("is looked for from so many characters on, and from so many different ones", () => {
    const shortest = "q7Wm+2Zt9canary".slice(0, redactedLengthMin);
    const plainest = "q7Wm+2Zt9".slice(0, differentCharactersMin).padEnd(20, "q");
    for (const value of [shortest, plainest]) {
      assert.equal(whyNotSought(value), null);
      assert.equal(learnt(value).known.redact(`a ${value} b`), "a [redacted: it] b");
    }
    const short = shortest.slice(1);
    assert.deepEqual(
      [whyNotSought(short), learnt(short).isSought],
      ["it has less than 12 characters", false],
    );
    const plain = plainest.replace(plainest.charAt(1), "q");
    assert.deepEqual(
      [whyNotSought(plain), learnt(plain).isSought],
      ["it has less than 8 different characters", false],
    );
  });

  test("that only stands for a key is left where it is, one that holds a word of it is not", () => {
    for (const value of [
      "your-api-key-here",
      "sk-no-key-required",
      "<insert your OpenAI API key>",
      "sk-1234567890",
      "YOUR_ANTHROPIC_API_KEY",
      "sk-test-0123456789",
      "changeme-please",
    ])
      assert.deepEqual([whyNotSought(value), learnt(value).isSought], ["it is a placeholder", false], value);
    for (const value of [
      "your-api-key-here-q7",
      "sk-test-1234567890ab",
      "correct-horse-battery",
      "123456789012345",
      "sk-81276354091",
    ])
      assert.deepEqual([whyNotSought(value), learnt(value).isSought], [null, true], value);
  });

  test("keeps the name under which it was learnt first", () => {
    const known = createKnownSecrets();
    known.learn({ id: "first", value: key });
    known.learn({ id: "second", value: key });
    assert.equal(known.redact(key), "[redacted: first]");
  });

  test("that begins another one leaves nothing of it", () => {
    const known = createKnownSecrets();
    known.learn({ id: "short", value: "abcdefghijkl" });
    known.learn({ id: "long", value: "abcdefghijklMNOPQRST" });
    assert.equal(
      known.redact("x abcdefghijklMNOPQRST y abcdefghijkl z"),
      "x [redacted: long] y [redacted: short] z",
    );
  });

  test("that is not there leaves the very same string", () => {
    const text = "nothing of that kind, sk-ant-api03-... neither";
    assert.equal(redact(text), text);
    assert.equal(createKnownSecrets().redact(text), text);
  });
});

describe("what a cut leaves", () => {
  test(`is replaced from ${fragmentLengthMin} characters on, at the end of a text and at its beginning`, () => {
    assert.equal(redact(`x ${key.slice(0, fragmentLengthMin)}`), `x ${marker}`);
    assert.equal(
      redact(`x ${key.slice(0, fragmentLengthMin - 1)}`),
      `x ${key.slice(0, fragmentLengthMin - 1)}`,
    );
    assert.equal(redact(`${key.slice(-fragmentLengthMin)} x`), `${marker} x`);
    assert.equal(redact(`${key.slice(-fragmentLengthMin + 1)} x`), `${key.slice(-fragmentLengthMin + 1)} x`);
    assert.equal(redact(`${key.slice(5)} x`), `${marker} x`);
    assert.equal(redact(`x ${key.slice(0, -1)}?`), `x ${marker}?`);
  });
});

describe("a JSON Web Token", () => {
  const part = (fields: object) => Buffer.from(JSON.stringify(fields)).toString("base64url");
  const header = part({ alg: "HS256", typ: "JWT" });
  const claims = part({ iss: "https://llm.corp.example", sub: "me" });
  const signature = "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c";
  const token = `${header}.${claims}.${signature}`;
  const known = createKnownSecrets();
  known.learn({ id: "JWT", value: token });

  test("is replaced whole, and where a cut left enough of what is its own", () => {
    assert.equal(known.redact(`a ${token} b`), "a [redacted: JWT] b");
    assert.match(
      known.redact(Buffer.from(`xy${token}z`).toString("base64")),
      /^.{1,4}\[redacted: JWT\].{1,4}$/,
    );
    for (const cut of [
      token.slice(0, -1),
      signature,
      token.slice(0, token.length - signature.length + 20),
      token.slice(-20),
    ])
      assert.equal(known.redact(`x ${cut}`), "x [redacted: JWT]", cut);
  });

  test("leaves other tokens of the same service alone, in Base64 too", () => {
    const other = `${header}.${claims}.${signature.split("").toReversed().join("")}`;
    for (const text of [header, `${header}.${claims}`, other, `${header}.${part({ sub: "test" })}.c2ln`])
      for (const before of ["", "x", "xy"]) {
        const base64 = Buffer.from(`${before}${text}`).toString("base64");
        assert.deepEqual([known.redact(text), known.redact(base64)], [text, base64]);
      }
  });

  test("with claims that nobody can read begins behind its header; what has too little left, at its beginning", () => {
    const sealed = `${header}.${"q7Wm2Zt9".repeat(6)}..x`;
    const brief = `${header}.q7Wm2Zt9`;
    known.learn({ id: "sealed", value: sealed });
    known.learn({ id: "brief", value: brief });
    assert.equal(known.redact(`x ${"q7Wm2Zt9".repeat(3)} y`), "x [redacted: sealed] y");
    assert.equal(known.redact(`x ${header.slice(0, fragmentLengthMin)} y`), "x [redacted: brief] y");
  });
});

describe("a text in pieces", () => {
  const known = createKnownSecrets();
  for (const secret of [...secrets, { id: "JWT", value: jwt }]) known.learn(secret);
  const part = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        key,
        odd,
        jwt,
        jwt.slice(jwt.lastIndexOf(".") + 1),
        encodeURIComponent(odd),
        JSON.stringify(odd),
        Buffer.from(key).toString("base64"),
      ),
    },
    fc.constantFrom("sk-", "s", "pa", "[redacted", key.slice(0, 9), key.slice(4, 12)),
    fc.string({ maxLength: 12, unit: "grapheme" }),
  );
  const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 12 });

  test("comes out as the whole text would, wherever it was split", () => {
    fc.assert(
      fc.property(text, cuts, (whole, at) => {
        const stream = known.textStream();
        const edges = [
          0,
          ...at.filter((each) => each < whole.length).toSorted((a, b) => a - b),
          whole.length,
        ];
        const out = edges.slice(1).map((to, index) => stream.add(whole.slice(edges[index], to)));
        assert.equal(out.join("") + stream.end(), known.redact(whole));
      }),
      { seed: 11, numRuns: 600 },
    );
  });

  test("of bytes too, whatever else is in them", () => {
    fc.assert(
      fc.property(text, fc.uint8Array({ maxLength: 30 }), cuts, (words, noise, at) => {
        const whole = Buffer.concat([noise, Buffer.from(words), noise]);
        const stream = known.byteStream();
        const edges = [
          0,
          ...at.filter((each) => each < whole.length).toSorted((a, b) => a - b),
          whole.length,
        ];
        const out = edges.slice(1).map((to, index) => stream.add(whole.subarray(edges[index], to)));
        const all = Buffer.concat([...out, stream.end()]);
        for (const { value } of secrets) assert.ok(!all.includes(value));
        if (!all.includes("[redacted: ")) assert.deepEqual(all, whole);
      }),
      { seed: 12, numRuns: 300 },
    );
  });

  test("control: redacted piece by piece, a value in two pieces comes out", () => {
    assert.equal(
      redact(key.slice(0, 15)) + redact(key.slice(15, 30)) + redact(key.slice(30, 45)),
      key.slice(0, 45),
    );
  });

  test("waits only for what may become a value", () => {
    const stream = known.textStream();
    assert.equal(stream.add("a plain word, s"), "a plain word, ");
    assert.equal(stream.add("o it goes on"), "so it goes on");
    assert.equal(stream.end(), "");
  });

  test("known by their marks", () => {
    assert.deepEqual(known.marksIn(known.redact(`${odd} ${key} ${odd} [redacted: nobody]`)), [
      "providers/anthropic/default",
      "ODD",
    ]);
    assert.deepEqual(known.marksIn("plain"), []);
  });

  test("passes through untouched while nothing is known", () => {
    const bytes = Buffer.from("abc");
    assert.equal(createKnownSecrets().byteStream().add(bytes), bytes);
    assert.equal(createKnownSecrets().textStream().add("sk-"), "sk-");
  });
});
