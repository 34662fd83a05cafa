/** Lines typed while attached, and which approval they name. */
import assert from "node:assert/strict";
import test from "node:test";
import { YoiError } from "@yoi/base";
import { approvalNamed } from "../../src/client/pending-approvals.ts";
import { lineBytesMax, readTyped, type Typed } from "../../src/client/typed-line.ts";

const lines: readonly (readonly [string, Typed | { readonly kind: "wrong" }])[] = [
  ["", { kind: "nothing" }],
  [" \t", { kind: "nothing" }],
  ["go on", { kind: "prompt", parts: [{ type: "text", text: "go on" }] }],
  [
    "read @a.txt.",
    {
      kind: "prompt",
      parts: [
        { type: "text", text: "read " },
        { type: "file_ref", path: "a.txt" },
        { type: "text", text: "." },
      ],
    },
  ],
  [" /etc is full", { kind: "prompt", parts: [{ type: "text", text: " /etc is full" }] }],
  ["/cancel", { kind: "cancel" }],
  ["/pause  ", { kind: "pause" }],
  ["/resume", { kind: "resume" }],
  ["/detach", { kind: "detach" }],
  ["/help", { kind: "help" }],
  ["/cancel now", { kind: "wrong" }],
  ["/approve", { kind: "approve", digest: null, how: { for: "once" } }],
  ["/approve 0123abcd", { kind: "approve", digest: "0123abcd", how: { for: "once" } }],
  ["/approve 0123abcd session", { kind: "approve", digest: "0123abcd", how: { for: "session" } }],
  [
    "/approve  0123abcd  always 2 ",
    { kind: "approve", digest: "0123abcd", how: { for: "always", rule: "2" } },
  ],
  ["/approve session 1", { kind: "approve", digest: null, how: { for: "session", rule: "1" } }],
  ["/approve 0123abcd always 0", { kind: "wrong" }],
  ["/approve 0123abcd always 2 3", { kind: "wrong" }],
  ["/approve 0123abcd once 2", { kind: "wrong" }],
  ["/approve 0123abc", { kind: "wrong" }],
  ["/approve all", { kind: "wrong" }],
  ["/deny too risky", { kind: "deny", digest: null, reason: "too risky" }],
  ["/deny 0123abcd  too risky ", { kind: "deny", digest: "0123abcd", reason: "too risky" }],
  ["/notify  the build is green ", { kind: "notify", message: "the build is green" }],
  ["/notify", { kind: "wrong" }],
  ["/deny", { kind: "wrong" }],
  ["/deny 0123abcd", { kind: "wrong" }],
  ["/", { kind: "wrong" }],
  ["/etc/hosts", { kind: "wrong" }],
  ["//", { kind: "wrong" }],
];

test("a line is a prompt, a command, or said to be neither", () => {
  for (const [line, expected] of lines) {
    const typed = readTyped([line]);
    if (expected.kind === "wrong") assert.equal(typed.kind, "wrong", line);
    else assert.deepEqual(typed, expected, line);
  }
});

test("the name of a skill begins a prompt that loads it, and a command goes before it", () => {
  const skills = ["release", "cancel", "title"];
  const rows: readonly (readonly [readonly string[], Typed])[] = [
    [["/release"], { kind: "prompt", parts: [{ type: "skill_ref", name: "release" }] }],
    [
      ["/release 1.2 of @a.txt"],
      {
        kind: "prompt",
        parts: [
          { type: "skill_ref", name: "release" },
          { type: "text", text: " 1.2 of " },
          { type: "file_ref", path: "a.txt" },
        ],
      },
    ],
    [
      ["/release 1.2", "/approve"],
      {
        kind: "prompt",
        parts: [
          { type: "skill_ref", name: "release" },
          { type: "text", text: " 1.2\n/approve" },
        ],
      },
    ],
    [["\\/release"], { kind: "prompt", parts: [{ type: "text", text: "/release" }] }],
    [["/cancel"], { kind: "cancel" }],
    [["/title release"], { kind: "title", title: "release" }],
  ];
  for (const [given, expected] of rows) assert.deepEqual(readTyped(given, skills), expected, given.join("|"));
  // The Pod may have it since: it says so where it has not. What is nearly one that is known is that, mistyped.
  assert.deepEqual(readTyped(["/fresh it"], skills), {
    kind: "prompt",
    parts: [
      { type: "skill_ref", name: "fresh" },
      { type: "text", text: " it" },
    ],
  });
  assert.equal(readTyped(["/cancle"]).kind, "wrong");
  for (const line of ["/releas", "/release/notes", "/Release", "/release2"])
    assert.equal(readTyped([line], skills).kind, "wrong", line);
  assert.equal(readTyped(["/title", "release"], skills).kind, "wrong");
  assert.equal(readTyped(["/release"], []).kind, "prompt");
});

test("lines of a paste are one prompt, and none of them is a command", () => {
  const prompts: readonly (readonly [readonly string[], string])[] = [
    [["one", "", "two"], "one\n\ntwo"],
    [["one", "/approve"], "one\n/approve"],
    [["", "/approve"], "\n/approve"],
  ];
  for (const [pasted, text] of prompts)
    assert.deepEqual(readTyped(pasted), { kind: "prompt", parts: [{ type: "text", text }] }, text);
  assert.deepEqual(readTyped(["", " "]), { kind: "nothing" });
  for (const pasted of [
    ["/approve", "two"],
    ["/approve", ""],
    ["/resume", "/approve"],
  ])
    assert.equal(readTyped(pasted).kind, "wrong", pasted.join("|"));
});

test("a line that a terminal may have cut is not sent", () => {
  // With its newline a line of the terminal has at most 4,096 bytes, and one that was cut 4,095.
  assert.equal(lineBytesMax, 4_094);
  const longest = "ü".repeat(lineBytesMax / 2);
  assert.equal(readTyped([longest]).kind, "prompt");
  for (const given of [[`${longest}x`], ["one", `${longest}x`], [`/notify ${longest}`]]) {
    const typed = readTyped(given);
    assert.ok(typed.kind === "wrong" && typed.sentence.includes("nothing was sent"), typed.kind);
  }
});

test("an approval is named by the beginning of its digest, and by nothing that could mean another one", () => {
  const pending = ["01234567aa", "01234567ab", "89abcdef00"].map((digest) => ({ digest }));
  assert.deepEqual(approvalNamed(pending, "89abcdef"), { digest: "89abcdef00" });
  assert.deepEqual(approvalNamed(pending, "01234567ab"), { digest: "01234567ab" });
  const refused: readonly (readonly [string, string])[] = [
    ["01234567", "usage"],
    ["89abcde", "usage"],
    ["", "usage"],
    ["89ABCDEF", "usage"],
    ["89abcdef01", "approval_unknown"],
  ];
  for (const [prefix, code] of refused)
    assert.throws(
      () => approvalNamed(pending, prefix),
      (error) => error instanceof YoiError && error.code === code,
      prefix,
    );
});
