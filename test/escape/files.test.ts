/** Ways out of the scope through Read, Write, Edit, Glob, Grep, a listing and a reference: none works, and nothing outside changes. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { normalize, resolve } from "node:path";
import { after, test } from "node:test";
import { callId, type JsonObject, messageOf, podName, type Scope, type Tool, YoiError } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { createCommandRunner } from "@yoi/sandbox";
import { protectionOf, scopeRule } from "@yoi/scope";
import { attachFiles, createScopedFiles, createSeen, createTools } from "@yoi/tools";
import { attempts, type FileAttempt, globAttempts, readableOnly } from "./file-attempts.ts";
import { testPath } from "./harness.ts";
import { canary, type EscapePlace, makePlace, treeLines } from "./place.ts";

interface Tried {
  /** The output, or the refusal. */
  readonly text: string;
  readonly refused: boolean;
}

/** For ripgrep, which is given what it may look at. */
const programs = await createCommandRunner({
  mode: "off",
  protection: protectionOf({
    workspace: "/nonexistent",
    home: null,
    own: [],
    spill: `/nonexistent/${process.pid}`,
  }),
  env: { PATH: testPath },
  timers: nodeHost().timers,
  clock: nodeHost().clock,
  quarantine: () => Promise.reject(new Error("not here")),
  unixSockets: true,
});
after(() => programs.close());

function toolsOf(place: EscapePlace, scope: Scope): readonly Tool[] {
  const host = nodeHost();
  return createTools({
    seen: createSeen(),
    seesImages: () => false,
    mayShow: () => true,
    files: createScopedFiles({ scope: () => scope, protection: place.protection }),
    runner: {
      status: { mode: "off" },
      run: () => Promise.reject(new Error("not here")),
      runProgram: programs.runProgram,
      endStrays: async () => 0,
      close: async () => {},
    },
    scope: () => scope,
    network: false,
    pod: podName("p"),
    workspace: place.workspace,
    spillDirectory: `${place.data}/spill/p`,
    hostFiles: host.files,
    timers: host.timers,
  });
}

async function call(tools: readonly Tool[], name: string, args: JsonObject): Promise<Tried> {
  const tool = tools.find(({ definition }) => definition.name === name);
  assert.ok(tool);
  try {
    tool.claim?.(args);
    const output = await tool.execute(args, {
      call: callId(1, 0),
      signal: new AbortController().signal,
      progress: () => {},
    });
    return { text: `${output.summary}\n${output.content ?? ""}`, refused: output.is_error === true };
  } catch (thrown) {
    assert.ok(thrown instanceof YoiError, `${name} ${JSON.stringify(args)}: ${messageOf(thrown)}`);
    return { text: thrown.message, refused: true };
  }
}

const calls: readonly [string, (path: JsonObject["file_path"]) => JsonObject][] = [
  ["Read", (path) => ({ file_path: path ?? null })],
  ["Write", (path) => ({ file_path: path ?? null, content: "escaped" })],
  ["Edit", (path) => ({ file_path: path ?? null, old_string: canary, new_string: "escaped" })],
  ["Glob", (path) => ({ pattern: "**/*", path: path ?? null })],
  ["Grep", (path) => ({ pattern: "CANARY", path: path ?? null, output_mode: "content" })],
];

/** As a tool that lists a directory, so that it is tried like the tools. */
async function list(place: EscapePlace, scope: Scope, path: JsonObject["file_path"]): Promise<Tried> {
  if (typeof path !== "string") return { text: "not a path", refused: true };
  try {
    const files = createScopedFiles({ scope: () => scope, protection: place.protection });
    return { text: JSON.stringify(await files.list(path)), refused: false };
  } catch (thrown) {
    assert.ok(thrown instanceof YoiError, `${path}: ${messageOf(thrown)}`);
    return { text: thrown.message, refused: true };
  }
}

/** A person may write an odd path to what is in the workspace: relative to it, empty, with `..` in it. */
function leadsInside({ workspace }: EscapePlace, path: JsonObject["file_path"]): boolean {
  try {
    return `${realpathSync(resolve(workspace, String(path)))}/`.startsWith(`${workspace}/`);
  } catch {
    return false;
  }
}

/** As a prompt that names a file behind an @: what is attached is shown to the model without a call. */
async function attach(place: EscapePlace, scope: Scope, path: JsonObject["file_path"]): Promise<Tried> {
  if (typeof path !== "string") return { text: "not a path", refused: true };
  const files = createScopedFiles({ scope: () => scope, protection: place.protection });
  const { items, warnings } = await attachFiles([{ type: "file_ref", path }], {
    files,
    workspace: place.workspace,
    textBytesMax: 64 * 1024,
    seesImages: () => true,
  });
  return { text: JSON.stringify([items, warnings]), refused: items.length === 0 };
}

async function inPlace<T>(attempt: FileAttempt, use: (place: EscapePlace) => Promise<T>): Promise<T> {
  const place = makePlace(testPath);
  writeFileSync(`${place.outside}/plain.txt`, "plain\n");
  try {
    attempt.prepare?.(place);
    return await use(place);
  } finally {
    place.remove();
  }
}

const grants: Readonly<Record<"workspace" | "place" | "everything", (place: EscapePlace) => Scope>> = {
  workspace: ({ scope }) => scope,
  place: ({ wideScope }) => wideScope,
  everything: () => ({ allow: [scopeRule("/", "write")], deny: [] }),
};

const attemptsMin = 100;
const started = performance.now();

test("there are ways enough", () => {
  assert.ok(attempts.length >= attemptsMin, `only ${attempts.length} ways`);
  const names = attempts.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length, "a way has a name of its own");
});

test(`${attempts.length} ways out of the scope by ${calls.length} tools, a listing and a reference: 0 work, nothing outside changes`, async () => {
  for (const attempt of attempts) {
    await inPlace(attempt, async (place) => {
      const scope = grants[attempt.granted ?? "workspace"](place);
      const [before, inside] = [place.snapshot(), treeLines(place.workspace).length];
      const path = attempt.path(place);
      // Each with tools that have seen nothing yet. What changes nothing leaves the place to the next one.
      const ways: (readonly [string, () => Promise<Tried>])[] = [
        ...calls.map(
          ([name, argsFor]) => [name, () => call(toolsOf(place, scope), name, argsFor(path))] as const,
        ),
        ["list", () => list(place, scope, path)],
        ["@file", () => attach(place, scope, path)],
      ];
      for (const [name, way] of ways) {
        const tried = await way();
        const where = `${attempt.name}, ${name}`;
        assert.ok(!tried.text.includes(canary), `${where}: it was read: ${tried.text}`);
        if (attempt.onlyOdd === true || (name === "@file" && leadsInside(place, path))) continue;
        assert.ok(tried.refused, `${where}: it was not refused: ${tried.text}`);
        assert.equal(treeLines(place.workspace).length, inside, where);
      }
      assert.equal(place.snapshot(), before, attempt.name);
    });
  }
});

test(`${globAttempts.length} globs that would lead out: nothing outside is named or shown`, async () => {
  const place = makePlace(testPath);
  try {
    writeFileSync(`${place.workspace}/inside.txt`, "CANARY as a word\n");
    symlinkSync("../outside", `${place.workspace}/link`);
    symlinkSync("/", `${place.workspace}/src/root`);
    symlinkSync("../outside/secret.txt", `${place.workspace}/secret.txt`);
    const tools = toolsOf(place, place.scope);
    const before = place.snapshot();
    for (const glob of globAttempts.map((make) => make(place))) {
      for (const [name, args] of [
        ["Glob", { pattern: glob }],
        ["Grep", { pattern: "CANARY", glob, output_mode: "content" }],
        ["Grep", { pattern: "CANARY", type: glob }],
      ] as const) {
        const { text, refused } = await call(tools, name, args);
        assert.ok(!text.includes(canary), `${name} ${glob}: ${text}`);
        if (refused) continue;
        const [, ...lines] = text.split("\n");
        for (const line of lines.filter((one) => one !== ""))
          assert.ok(
            line.startsWith(`${place.workspace}/`) &&
              !/secret|root\//.test(line.slice(place.workspace.length)),
            `${name} ${glob}: ${line}`,
          );
      }
    }
    // Control: the search does find what is inside, and would show it.
    const { text } = await call(tools, "Grep", { pattern: "CANARY", output_mode: "content" });
    assert.match(text, /inside\.txt:1:CANARY as a word/);
    assert.equal(place.snapshot(), before);
  } finally {
    place.remove();
  }
});

test("control: a search that follows links and asks nobody finds what is outside", () => {
  const place = makePlace(testPath);
  try {
    symlinkSync("../outside", `${place.workspace}/link`);
    const found = execFileSync("grep", ["-R", "-l", canary, place.workspace], { encoding: "utf8" });
    assert.match(found, /link\/secret\.txt/);
    assert.match(found, /denied\/deep\/secret\.txt/);
  } finally {
    place.remove();
  }
});

test(`${readableOnly.length} places that are read and not changed`, async () => {
  for (const attempt of readableOnly) {
    await inPlace(attempt, async (place) => {
      const before = place.snapshot();
      const tools = toolsOf(place, place.scope);
      const path = attempt.path(place);
      const read = await call(tools, "Read", { file_path: path });
      for (const args of [
        { name: "Write", content: "escaped" },
        { name: "Edit", old_string: "a", new_string: "b" },
      ]) {
        const { name, ...rest } = args;
        const tried = await call(tools, name, { file_path: path, ...rest });
        assert.ok(tried.refused, `${attempt.name} was changed by ${name}: ${tried.text}`);
      }
      assert.ok(
        !read.refused || /does not exist|binary|ELF/.test(read.text),
        `${attempt.name}: ${read.text}`,
      );
      assert.equal(place.snapshot(), before, attempt.name);
    });
  }
});

test("what is out of reach is answered alike, there or not", async () => {
  await inPlace({ name: "", path: () => "" }, async (place) => {
    const tools = toolsOf(place, place.scope);
    const answer = async (path: string) =>
      (await call(tools, "Read", { file_path: path })).text.replaceAll(path, "PATH");
    assert.equal(await answer(`${place.outside}/secret.txt`), await answer(`${place.outside}/none.txt`));
    assert.equal(
      await answer(`${place.outside}/deep/secret.txt`),
      await answer(`${place.outside}/none/secret.txt`),
    );
    assert.equal(await answer(place.outside), await answer(`${place.outside}-none`));
  });
});

test("control: a check of the text alone lets many of them through", async () => {
  let leaked = 0;
  for (const attempt of attempts) {
    await inPlace(attempt, async (place) => {
      const path = attempt.path(place);
      if (
        typeof path !== "string" ||
        path.includes("fifo") ||
        attempt.name.includes("FIFO") ||
        attempt.name.includes("device")
      )
        return;
      if (!normalize(path).startsWith(`${place.workspace}/`)) return;
      try {
        if (readFileSync(path, "utf8").includes(canary)) leaked += 1;
      } catch {
        // This one does not work either way.
      }
    });
  }
  assert.ok(leaked >= 10, `${leaked} leaked`);
});

test("no attempt hangs", () => {
  assert.ok(performance.now() - started < 60_000);
});
