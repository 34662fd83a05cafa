/** Which authority is contained in which other, with what somebody might write to get more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type HostAuthority, serviceId } from "@yoi/feature";
import fc from "fast-check";
import { common, covers, coversPath } from "../../../src/feature/authorities/covers.ts";

const read = (path: string): HostAuthority => ({ kind: "filesystem", access: "read", path });
const write = (path: string): HostAuthority => ({ kind: "filesystem", access: "write", path });
const network = (...hosts: string[]): HostAuthority => ({ kind: "network", hosts });

const paths: readonly (readonly [directory: string, path: string, covered: boolean])[] = [
  ["/w", "/w", true],
  ["/w", "/w/a/b", true],
  ["/w/", "/w/./a//b/", true],
  ["/", "/w", true],
  ["src", "src/a", true],
  ["./src", "src/a", true],
  [".", "src/a", true],
  [".", ".", true],
  // Siblings that begin alike, parents, other cases.
  ["/w", "/w2", false],
  ["/w", "/w-old/a", false],
  ["src", "srcs/a", false],
  ["/w/a", "/w", false],
  ["src", ".", false],
  ["/w", "/W/a", false],
  // Ways out.
  ["/w", "/w/../etc", false],
  ["/w", "/w/a/..", false],
  ["/w/..", "/etc", false],
  ["..", "../x", false],
  [".", "..", false],
  [".", "src/../../x", false],
  ["/", "/w/..", false],
  // The workspace is not known here: relative and absolute are never compared.
  [".", "/w", false],
  ["/", "src", false],
  ["/src", "src", false],
  // What is no path.
  ["", "", false],
  [".", "", false],
  ["/", "", false],
  ["/w", "/w/\0", false],
  ["/w", "/w/\ud800", false],
  ["/w", `/w/${"x".repeat(256)}`, false],
  // Only text: no home, no pattern.
  ["/home/u", "~/a", false],
  ["/w/*", "/w/a", false],
];
test("F-03: a path is covered by its directory, and by nothing that only looks like one", () => {
  for (const [directory, path, covered] of paths)
    assert.equal(coversPath(directory, path), covered, JSON.stringify([directory, path]));
});

const service = (name: string): HostAuthority => ({ kind: "service_access", service: serviceId(name) });
const kinds: readonly (readonly [wide: HostAuthority, narrow: HostAuthority, covered: boolean])[] = [
  [write("/w"), write("/w/a"), true],
  [write("/w"), read("/w/a"), true],
  [read("/w"), read("/w"), true],
  [read("/w"), write("/w"), false],
  [read("/w/a"), read("/w"), false],
  [network("a.org", "*.b.org"), network("x.b.org"), true],
  [network("a.org", "*.b.org"), network("x.b.org", "a.org"), true],
  [network("a.org"), network("a.org", "c.org"), false],
  [{ kind: "secret_ref", id: "web/key" }, { kind: "secret_ref", id: "web/key" }, true],
  [{ kind: "secret_ref", id: "web" }, { kind: "secret_ref", id: "web/key" }, false],
  [{ kind: "secret_ref", id: "Web/key" }, { kind: "secret_ref", id: "web/key" }, false],
  [{ kind: "state_store", name: "a" }, { kind: "state_store", name: "a" }, true],
  [{ kind: "state_store", name: "a" }, { kind: "state_store", name: "ab" }, false],
  [service("user:a"), service("user:a"), true],
  [service("user:a"), service("user:ab"), false],
  [{ kind: "model_notification" }, { kind: "model_notification" }, true],
  [{ kind: "pod_management" }, { kind: "pod_management" }, true],
];
test("F-03: an authority covers one of its own kind that asks for no more", () => {
  for (const [wide, narrow, covered] of kinds)
    assert.equal(covers(wide, narrow), covered, JSON.stringify([wide, narrow]));
  const one = kinds.map(([wide]) => wide);
  for (const a of one)
    for (const b of one) if (a.kind !== b.kind) assert.equal(covers(a, b), false, `${a.kind} ${b.kind}`);
});

const meetings: readonly (readonly [a: HostAuthority, b: HostAuthority, both: HostAuthority | null])[] = [
  [write("/w"), write("/w/a"), write("/w/a")],
  [read("/w"), write("/w/a"), read("/w/a")],
  [write("/w"), read("/w"), read("/w")],
  [write("/w"), write("/v"), null],
  [write("src"), write("/w/src"), null],
  [write("/w"), write("/w/../v"), null],
  [network("*.a.org", "b.org"), network("x.a.org", "c.org"), network("x.a.org")],
  [network("*.a.org", "x.b.org"), network("y.a.org", "*.b.org"), network("y.a.org", "x.b.org")],
  [network("a.org"), network("b.org"), null],
  [network("*"), network("a.org"), null],
  [{ kind: "secret_ref", id: "a" }, { kind: "secret_ref", id: "b" }, null],
  [
    { kind: "secret_ref", id: "a" },
    { kind: "secret_ref", id: "a" },
    { kind: "secret_ref", id: "a" },
  ],
  [{ kind: "model_notification" }, write("/"), null],
];
test("F-03: what two authorities have in common is what both give, whichever is asked first", () => {
  for (const [a, b, both] of meetings) {
    assert.deepEqual(common(a, b), both, JSON.stringify([a, b]));
    const turned = common(b, a);
    if (both?.kind === "network" && turned?.kind === "network")
      assert.deepEqual(turned.hosts.toSorted(), both.hosts.toSorted());
    else assert.deepEqual(turned, both, JSON.stringify([b, a]));
  }
});

const seeded = { seed: 3, numRuns: 500 };
const segment = fc.constantFrom("a", "b", "ab", "..", ".", "");
const anyAuthority: fc.Arbitrary<HostAuthority> = fc.oneof(
  fc.record({
    kind: fc.constant("filesystem" as const),
    access: fc.constantFrom("read" as const, "write" as const),
    path: fc
      .tuple(fc.boolean(), fc.array(segment, { minLength: 1, maxLength: 4 }))
      .map(([absolute, names]) => `${absolute ? "/" : ""}${names.join("/")}`),
  }),
  fc.record({
    kind: fc.constant("network" as const),
    hosts: fc.array(fc.constantFrom("a.org", "b.a.org", "*.a.org", "*.b.a.org", "*", "A.org"), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
);
test(`F-03: what two have in common is covered by both (seed ${seeded.seed}, ${seeded.numRuns} runs)`, () => {
  let shared = 0;
  fc.assert(
    fc.property(anyAuthority, anyAuthority, (a, b) => {
      const both = common(a, b);
      if (both === null) return;
      shared += 1;
      assert.ok(covers(a, both) && covers(b, both), JSON.stringify({ a, b, both }));
    }),
    seeded,
  );
  assert.ok(shared > 50, `${shared} of them had something in common`);
});
