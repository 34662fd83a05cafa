/** The documents are true where a machine can tell: links resolve, named tests and files exist, dependencies have a reason, and nothing tells of the machine it was written on. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { libraries } from "./layers/table.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const listed = execFileSync("git", ["ls-files", "-z"], {
  cwd: root,
  encoding: "utf8",
});
const files = listed.split("\0").filter((file) => file !== "" && existsSync(join(root, file)));
const documents = files.filter((file) => file.endsWith(".md"));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const prose = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`\n]*`/g, "");

/** As GitHub makes them. */
function anchors(text: string): ReadonlySet<string> {
  const headings = text.replace(/^```[\s\S]*?^```$/gm, "").match(/^#{1,6} .*$/gm) ?? [];
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/^#+ /, "")
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** Local links of a document that lead nowhere. */
function deadLinks(file: string, text: string, exists: (path: string) => boolean): readonly string[] {
  return [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? "")
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? file : posix.join(posix.dirname(file), path);
      if (!exists(target)) return true;
      return anchor !== undefined && !anchors(target === file ? text : read(target)).has(anchor);
    });
}

const onDisk = (path: string) => existsSync(join(root, path));

test("the documents that a newcomer looks for are there", () => {
  const wanted = ["AGENTS.md", "ARCHITECTURE.md", "CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md"];
  assert.deepEqual(
    wanted.filter((file) => !onDisk(file)),
    [],
  );
});

test("every local link of every document resolves", () => {
  const dead = documents.flatMap((file) =>
    deadLinks(file, read(file), onDisk).map((link) => `${file}: ${link}`),
  );
  assert.deepEqual(dead, []);
});

test("a dead link or anchor would be found (control)", () => {
  const text = "# A title\n[a](b.md) [c](#a-title) [d](#nowhere) [e](https://x.test/y) `[f](g.md)`\n";
  assert.deepEqual(
    deadLinks("docs/x.md", text, (path) => path === "docs/x.md"),
    ["b.md", "#nowhere"],
  );
});

/** `(test: [path](path) "title")`, or `(test: pending)`. */
const proofOf = /\(test: (?:(pending)|\[[^\]]+\]\(([^)]+)\),? "([^"]+)")\)/g;

test("every invariant is there once, and every test that proves one exists", async (t) => {
  const lines = [...read("ARCHITECTURE.md").matchAll(/^- \*\*(I[0-9]+)\*\* (.*)$/gm)];
  assert.deepEqual(
    lines.map((line) => line[1]),
    Array.from({ length: 12 }, (_, index) => `I${index + 1}`),
  );
  for (const [, name, sentence = ""] of lines) {
    const proofs = [...sentence.matchAll(proofOf)];
    assert.ok(proofs.length > 0, `${name} names no test and is not marked (test: pending)`);
    for (const [, pending, path = "", title = ""] of proofs) {
      if (pending === undefined)
        assert.ok(onDisk(path) && read(path).includes(title), `${name}: ${path} has no test "${title}"`);
      else
        await t.test(`${name} is proved by a test`, { todo: "its test is not written yet" }, () => undefined);
    }
  }
});

test("every file that ARCHITECTURE.md and AGENTS.md name exists", () => {
  const named = ["ARCHITECTURE.md", "AGENTS.md"].flatMap((file) =>
    [...read(file).matchAll(/`([a-z-]+\/(?:src|test)\/[\w./-]+\.ts)`/g)].map((match) => match[1] ?? ""),
  );
  assert.ok(named.length > 20, "the code map names files");
  assert.deepEqual(
    named.filter((path) => !onDisk(join("packages", path))),
    [],
  );
});

test("every suite below test says in AGENTS.md what it proves", () => {
  const suites = files.flatMap((file) => /^test\/([^/]+)\/.*\.test\.ts$/.exec(file)?.[1] ?? []);
  const named = read("AGENTS.md");
  assert.deepEqual(
    [...new Set(suites)].filter((suite) => !named.includes(`\`test/${suite}\``)),
    [],
  );
});

test("every dependency has its reason in ARCHITECTURE.md, and every package a README of at most a screen", () => {
  const section = read("ARCHITECTURE.md").split("\n## Dependencies\n")[1] ?? "";
  const manifest = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
  const names = [manifest["devDependencies"], manifest["optionalDependencies"], libraries].flatMap((one) =>
    Object.keys(one ?? {}),
  );
  assert.deepEqual(
    names.filter((name) => !section.includes(`\`${name}\``)),
    [],
  );
  const packages = files.filter((file) => /^packages\/[^/]+\/package\.json$/.test(file)).map(dirname);
  const screenLines = 80;
  const without = packages.filter(
    (folder) =>
      !onDisk(join(folder, "README.md")) || read(join(folder, "README.md")).split("\n").length > screenLines,
  );
  assert.deepEqual(without, []);
});

test("every source file begins with a sentence that says what it is for", () => {
  const sources = files.filter((file) =>
    /^(?:packages\/[^/]+\/(?:src|test)|scripts|test|bench)\/.*\.ts$/.test(file),
  );
  assert.ok(sources.length > 100);
  assert.deepEqual(
    sources.filter((file) => !/^\/\*\*\s/.test(read(file))),
    [],
  );
});

/** Places on this machine, and registries: neither belongs into a repository. */
function machinePlaces(text: string, places: readonly string[]): readonly string[] {
  const registries =
    text.match(
      /https?:\/\/[^\s"'`<>)]*(?:registry|artifactory|nexus|verdaccio|npmjs|pypi|mirror)[^\s"'`<>)]*/gi,
    ) ?? [];
  return [...places.filter((place) => text.includes(place)), ...registries];
}

test("no file tells of the machine it was written on, or of a registry", () => {
  const above = dirname(root);
  const shared = new Set(["/", "/home", "/root", tmpdir()]);
  // The checkout and what lies beside it; where that is everybody's place, the checkout alone.
  const places = shared.has(above)
    ? [root.slice(0, -1)]
    : readdirSync(above).map((name) => join(above, name));
  const own = "scripts/docs.test.ts";
  const found = files
    .filter((file) => file !== own && !/\.(?:png|jpg|gif|bin)$/.test(file))
    .flatMap((file) => machinePlaces(read(file), places).map((place) => `${file}: ${place}`));
  assert.deepEqual(found, []);
  assert.doesNotMatch(read("package-lock.json"), /"resolved": "http/);
  assert.deepEqual(machinePlaces("see https://registry.example.test/x and /srv/me/yoi", ["/srv/me"]), [
    "/srv/me",
    "https://registry.example.test/x",
  ]);
});
