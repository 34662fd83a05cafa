/** Searches at their limits: without the sandbox that was wanted, and of more than one run of ripgrep may print. */
import assert from "node:assert/strict";
import { rmSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import { scopeRule } from "@yoi/scope";
import { givenBytesMax, hitCharsMax } from "../../packages/tools/src/search/parse-hits.ts";
import { descriptorsMax, pathsMax, searchedBytesMax } from "../../packages/tools/src/search/search-files.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { makeSearchPlace, searcher } from "./places.ts";

test("where the sandbox is missing Grep works all the same, but not with a ripgrep that tools may write", async () => {
  const place = makeSearchPlace();
  place.put("a.txt", "needle\n");
  const search = await searcher(place, "on", "/nonexistent");
  try {
    assert.equal(search.runner.status.mode, "missing");
    const found = `Grep "needle": 1 file\n${place.workspace}/a.txt`;
    assert.equal(await search.call("Grep", { pattern: "needle" }), found);
    place.scope = { allow: [...place.scope.allow, scopeRule(dirname(rgPath), "write")], deny: [] };
    assert.match(
      await search.call("Grep", { pattern: "needle" }),
      /^sandbox_missing: .*is not run without the sandbox, because tools may write it\./,
    );
  } finally {
    await search.close();
    place.remove();
  }
});

test("what one run would print too much of is searched in parts, and one file of too many matches is said", async () => {
  const place = makeSearchPlace();
  const lines = 300_000;
  for (const name of ["a", "b", "c"]) place.put(`${name}.txt`, "xx\n".repeat(lines));
  const search = await searcher(place, "off");
  try {
    const found = await search.call("Grep", { pattern: "x", output_mode: "count" });
    const each = ["a", "b", "c"].map((name) => `${place.workspace}/${name}.txt:${lines}`);
    assert.equal(found, [`Grep "x": 3 files with ${3 * lines} matching lines`, ...each].join("\n"));
    place.put("d.txt", "xx\n".repeat(2 * lines));
    assert.match(
      await search.call("Grep", { pattern: "x" }),
      /^limit_exceeded: The pattern matches more lines of one file/,
    );
  } finally {
    await search.close();
    place.remove();
  }
});

test("a file of as many bytes as are searched is searched, a larger one is left out and said", async () => {
  const place = makeSearchPlace();
  const search = await searcher(place, "off");
  try {
    for (const [name, bytes] of [
      ["a", searchedBytesMax],
      ["b", searchedBytesMax + 1],
    ] as const) {
      place.put(name, "needle\n");
      truncateSync(join(place.workspace, name), bytes);
    }
    assert.equal(
      await search.call("Grep", { pattern: "needle" }),
      'Grep "needle": no files\n[1 binary file with a match left out]\n[1 file of more than 64 MiB left out: search there with the Bash tool]',
    );
  } finally {
    await search.close();
    place.remove();
  }
});

test("files in one run of ripgrep and one more, by path and by descriptor, are all searched", async () => {
  const place = makeSearchPlace();
  for (let index = 0; index < descriptorsMax; index += 1) place.put(`f${index}`, "needle\n");
  try {
    for (const mode of ["off", "on"] as const) {
      const search = await searcher(place, mode);
      try {
        for (const files of [descriptorsMax, descriptorsMax + 1]) {
          if (files > descriptorsMax) place.put("one-more", "needle\n");
          const found = await search.call("Grep", { pattern: "needle", output_mode: "count", head_limit: 1 });
          assert.match(found, new RegExp(`1 to 1 of ${files} files with ${files} matching lines`), mode);
        }
        rmSync(join(place.workspace, "one-more"));
      } finally {
        await search.close();
      }
    }
  } finally {
    place.remove();
  }
});

test("a search of a directory shows no file that rules keep from it", async () => {
  const place = makeSearchPlace();
  for (const name of ["a.txt", "secret/key", "secret/ü"]) place.put(name, "needle\n");
  const search = await searcher(place, "off", undefined, (tool, path) =>
    tool === "Glob" ? !path.endsWith("/key") : !path.startsWith(join(place.workspace, "secret")),
  );
  const forbidden = (count: string): string =>
    `[${count} left out, which the user's permission rules do not let be shown]`;
  const at = (name: string): string => join(place.workspace, name);
  try {
    assert.equal(
      await search.call("Grep", { pattern: "needle", output_mode: "content" }),
      `Grep "needle": 1 matching line in 1 file\n${at("a.txt")}:1:needle\n${forbidden("2 files")}`,
    );
    assert.equal(
      await search.call("Glob", { pattern: "**" }),
      `Glob "**": 2 files\n${at("a.txt")}\n${at("secret/ü")}\n${forbidden("1 file")}`,
    );
    assert.equal(
      await search.call("Grep", { pattern: "needle", path: at("secret/key") }),
      `Grep "needle": no files\n${forbidden("1 file")}`,
    );
  } finally {
    await search.close();
    place.remove();
  }
});

test("of a line that is longer than is shown it is said where it matches", async () => {
  const place = makeSearchPlace();
  const search = await searcher(place, "off");
  try {
    for (const before of [givenBytesMax - 6, givenBytesMax + 1, 1_000_000]) {
      place.put("min.js", `beside\n${"x".repeat(before)}needle\n9:9:beside\n`);
      const lines = (await search.call("Grep", { pattern: "needle", output_mode: "content", "-C": 1 })).split(
        "\n",
      );
      const cut = "x".repeat(hitCharsMax);
      const [path, at] = [join(place.workspace, "min.js"), before + 1];
      assert.deepEqual(lines.slice(1), [
        `${path}-1-beside`,
        `${path}:2:${cut} [cut: longer than ${hitCharsMax} characters; it matches from byte ${at} on]`,
        `${path}-3-9:9:beside`,
      ]);
    }
    place.put("min.js", `${"x".repeat(givenBytesMax)}needle\n`);
    const over = await search.call("Grep", { pattern: "x.needle", output_mode: "content", multiline: true });
    assert.ok(over.endsWith(`${"x".repeat(hitCharsMax)} [cut: longer than ${hitCharsMax} characters]`), over);
  } finally {
    await search.close();
    place.remove();
  }
});

test(
  "more files than one run in the sandbox can be given are searched in parts, those at their ends too",
  { skip: noBubblewrap() },
  async () => {
    const place = makeSearchPlace();
    const count = 9_001;
    const hits = [0, pathsMax - 1, pathsMax, count - 1];
    const nameOf = (n: number) => `${n}`.padStart(5, "0");
    for (let n = 0; n < count; n += 1) place.put(nameOf(n), hits.includes(n) ? "needle\n" : "");
    const search = await searcher(place, "on");
    try {
      const found = hits.map((n) => `\n${place.workspace}/${nameOf(n)}`).join("");
      assert.equal(await search.call("Grep", { pattern: "needle" }), `Grep "needle": 4 files${found}`);
    } finally {
      await search.close();
      place.remove();
    }
  },
);
