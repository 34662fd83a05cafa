/** Arbitrary scopes over a small tree, so that rules meet each other often. */
import type { Scope, ScopeRule } from "@yoi/base";
import fc from "fast-check";

const name = fc.constantFrom("a", "b", "ab");

export const anyPath: fc.Arbitrary<string> = fc
  .array(name, { maxLength: 5 })
  .map((names) => `/${names.join("/")}`);

export const anyRule: fc.Arbitrary<ScopeRule> = fc.record({
  target: fc.array(name, { maxLength: 3 }).map((names) => `/${names.join("/")}`),
  permission: fc.constantFrom("read", "write"),
  recursive: fc.boolean(),
});

export const anyScope: fc.Arbitrary<Scope> = fc.record({
  allow: fc.array(anyRule, { maxLength: 4 }),
  deny: fc.array(anyRule, { maxLength: 3 }),
});

/** Runs a property with a fixed seed, which a failure prints. */
export const seeded = { seed: 20_260, numRuns: 400 } as const;

export function read(target: string, recursive = true): ScopeRule {
  return { target, permission: "read", recursive };
}

export function write(target: string, recursive = true): ScopeRule {
  return { target, permission: "write", recursive };
}

/** Every path of a small tree, with one name that no rule has. */
export const treePaths: readonly string[] = paths(["a", "b", "ab", "z"], 5);

function paths(names: readonly string[], depth: number): readonly string[] {
  const found = ["/"];
  for (let from = 0, level = 0; level < depth; level += 1) {
    const to = found.length;
    for (; from < to; from += 1)
      for (const name of names) found.push(`${found[from] === "/" ? "" : found[from]}/${name}`);
  }
  return found;
}
