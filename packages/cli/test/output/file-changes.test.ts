/** What is said of each file that a Pod's tools changed: a patch where both sides are texts of a size to compare. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ToldFile } from "@yoi/pod";
import { comparedBytesMax, fileChanges, fileChangesText } from "../../src/output/file-changes.ts";

test("files that were changed, made, removed, put back, and that cannot be compared", async () => {
  const folder = mkdtempSync(join(tmpdir(), "yoi-changes-"));
  try {
    const copies = new Map<string, Uint8Array>();
    /** @param before what it held; null: it was not there; undefined: there is no copy of it any more */
    const file = (name: string, before: string | null | undefined, now: string | null): ToldFile => {
      const path = join(folder, name);
      if (now !== null) writeFileSync(path, now);
      if (typeof before === "string") copies.set(name, Buffer.from(before));
      const digest = before === null ? null : name;
      return { path, outcome: "restorable", wish: { path, before: digest, after: "x" } };
    };
    const path = (name: string) => join(folder, name);
    const files: readonly ToldFile[] = [
      file("changed", "a\nb\n", "a\nc\n"),
      file("made", null, "new\n"),
      file("removed", "old\n", null),
      file("as it was", "same\n", "same\n"),
      file("never there", null, null),
      file("emptied", "old\n", ""),
      file("bytes", "a\0b", "a\0c"),
      file("largest", "x", "y".repeat(comparedBytesMax)),
      file("too large", "x", "y".repeat(comparedBytesMax + 1)),
      file("no copy", undefined, "new"),
      { path: path("lost"), outcome: "not_kept", why: "the disk was full", wish: null },
      { path: path("others"), outcome: "changed_since", wish: null },
    ];
    const changes = await fileChanges(files, async (digest) => copies.get(digest) ?? null);
    const patch = (name: string, head: readonly [string, string], lines: string) => ({
      path: path(name),
      patch: `--- ${head[0]}\n+++ ${head[1]}\n${lines}`,
      note: "",
    });
    const note = (name: string, said: string) => ({ path: path(name), patch: null, note: said });
    assert.deepEqual(
      changes.filter((one) => one.path !== path("largest")),
      [
        patch("changed", [path("changed"), path("changed")], "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"),
        patch("made", ["/dev/null", path("made")], "@@ -0,0 +1,1 @@\n+new\n"),
        patch("removed", [path("removed"), "/dev/null"], "@@ -1,1 +0,0 @@\n-old\n"),
        patch("emptied", [path("emptied"), path("emptied")], "@@ -1,1 +0,0 @@\n-old\n"),
        note("bytes", "changed; it is no text"),
        note("too large", "changed; too large to be compared"),
        note("no copy", "changed; no copy was kept"),
        note("lost", "changed; the disk was full"),
        note("others", "changed; somebody else changed it too"),
      ],
    );
    assert.notEqual(changes.find((one) => one.path === path("largest"))?.patch ?? null, null);
    const text = fileChangesText([
      { path: "/a\u001b[2J", patch: null, note: "x" },
      { path: "/b", patch: "+\u001b[2J\n", note: "" },
    ]);
    assert.equal(text, "/a\\u001b[2J: x\n+\\u001b[2J\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
