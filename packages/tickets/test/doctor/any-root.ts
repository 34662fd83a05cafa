/** Roots in which anything stands; and that what takes away or writes over in them does so with what is ours alone. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { createTicketStore } from "../../src/index.ts";
import { parseItem } from "../../src/item.ts";
import { a, b, created, steps } from "./sound.ts";
import { event, hare, item, type PlantedRoot, plant, readTree, root, type Tree } from "./tree.ts";

export const latin1 = Uint8Array.of(0x23, 0x20, 0xe9, 0x0a);
/** How an older tool began a thread. */
export const old =
  "<!-- event: create author: hare at: 2026-06-03T12:23:17Z -->\n\n## Created\n\nThe whole specification.\n\n---\n";

export const comment = event(2, { kind: "comment", body: "Long and precious." });

/** What stands in a root but for the lock. */
export async function files({ host }: Pick<PlantedRoot, "host">): Promise<Record<string, string>> {
  const { ".lock": _, ...found } = await readTree(host, root);
  return found;
}

const texts = fc.constantFrom<Tree[string]>(null, "x", latin1, "x\r\ny\r\n", "It works.\n", "It works.\r\n");
const parts = fc
  .shuffledSubarray([created, old, comment, steps.ready, steps.closed, "By hand.\n", "<!-- event -->\n"])
  .map((list) => list.join("\n"));
const folder = fc.record({
  "item.md": fc.oneof(texts, fc.constant(item({}, "Mine.")), fc.constant(item({ state: "closed" }, "Mine."))),
  "thread.md": fc.oneof(fc.constant(null), fc.constant(created), parts),
  "resolution.md": texts,
  ".thread.md.2.tmp": fc.constantFrom<Tree[string]>(null, "half"),
  ".draft.2.tmp": texts,
  "artifacts/x": fc.oneof(fc.constant(null), texts),
  "artifacts/.thread.md.2.tmp": texts,
});
const lines = fc.constantFrom<Tree[string]>(
  null,
  "",
  "# mine",
  latin1,
  "# mine\r\n*/thread.md merge=union\r\n",
);
const rootTexts = fc.record({
  ".gitattributes": lines,
  ".gitignore": lines,
  ".draft.2.tmp": texts,
  "..gitignore.2.tmp": texts,
});
export const under = (id: string, tree: Tree): Tree =>
  Object.fromEntries(Object.entries(tree).map(([path, content]) => [`${id}/${path}`, content]));

export const anyRoots: fc.Arbitrary<Tree> = fc
  .tuple(rootTexts, folder, folder)
  .map(([top, one, two]) => ({ ...top, ...under(a, one), ...under(b, two) }));

/** `--fix`, a comment and a create keep every byte, and `--fix` twice is `--fix` once. */
export async function assertNothingLost(tree: Tree): Promise<void> {
  const { desk, host } = await plant(tree);
  const before = await files({ host });
  const store = createTicketStore(desk);
  await store.doctor({ fix: true });
  const once = await files({ host });
  assertKept(before, once);
  await store.doctor({ fix: true });
  assert.deepEqual(await files({ host }), once, "twice is once");
  await store.create({ title: "Another", body: "" }, hare);
  for (const id of [a, b])
    await store.add(id, { kind: "comment", body: "Said." }, hare).catch((error: unknown) => {
      assert.match(String(error), /YoiError/);
    });
  assertKept(once, await files({ host }));
}

/** Files as Latin-1, by path. */
function assertKept(before: Record<string, string>, after: Record<string, string>): void {
  for (const [path, text] of Object.entries(before)) {
    const now = after[path];
    const name = path.slice(path.indexOf("/") + 1);
    const folderIsBegun = before[path.replace(name, "item.md")] === undefined;
    if (now === text || path.endsWith("/")) continue;
    if (name === ".thread.md.2.tmp" || path === "..gitignore.2.tmp") continue;
    if (name === "thread.md" && now === undefined) {
      assert.ok(folderIsBegun && [created, ""].includes(text), `${path} was somebody's:\n${text}`);
    } else if (name === "resolution.md" && now === undefined) {
      const said = after[path.replace(name, "thread.md")] ?? "";
      assert.ok(said.includes(text.replaceAll("\r\n", "\n").trim()), `${path} stands nowhere else`);
    } else if (name === "item.md" && now !== undefined) {
      const { state: _, updated_at: __, ...rest } = parseItem(text);
      const { state: ___, updated_at: ____, ...kept } = parseItem(now);
      assert.deepEqual(kept, rest);
    } else assert.ok(now?.startsWith(text), `${path} is not what it was`);
  }
}
