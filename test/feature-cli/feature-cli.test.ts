/** `yoi feature`: the real program over real files. Third parties' code is read, shown, decided about, and never run. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { plant } from "../bad-input/machine.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, yoiCommand, type YoiResult } from "../support/yoi-process.ts";

const terminal = `--import=${fileURLToPath(new URL("../support/fake-terminal-input.ts", import.meta.url))}`;

function feature(home: TempHome, ...args: readonly string[]): Promise<YoiResult> {
  return runYoi(["feature", ...args], { env: home.env, cwd: home.workspace, timeoutMs: 20_000 });
}

async function json(home: TempHome, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await feature(home, ...args, "--json");
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Answers the question at a terminal, after `between`. */
async function atTerminal(
  home: TempHome,
  args: readonly string[],
  answer: string,
  between: () => void,
): Promise<YoiResult> {
  const child = spawn(yoiCommand, ["feature", ...args], {
    cwd: home.workspace,
    env: { ...home.env, NODE_OPTIONS: terminal },
    stdio: ["pipe", "pipe", "pipe"],
    timeout: 20_000,
  });
  const written = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (written.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    written.stderr += text;
    if (!child.stdin.writable || !written.stderr.includes("Type yes: ")) return;
    between();
    child.stdin.end(`${answer}\n`);
  });
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, ...written };
}

test("A2-52, F-12: built-ins with digest and install report, third parties with source and digest, and no code of theirs runs", async () => {
  using home = tempHome();
  const canary = join(home.root, "canary");
  const hostile = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(canary)}, "");\n`;
  const folder = join(home.workspace, ".yoi/features");
  plant(join(folder, "canary.ts"), hostile);
  plant(join(folder, "broken.ts"), "export const = {{{");
  plant(join(folder, "endless.ts"), "for (;;);\n");
  plant(join(folder, "Upper.ts"), "");
  plant(join(home.home, "config/features/mine.ts"), hostile);
  const pack = join(home.workspace, "node_modules/@acme/lint");
  plant(
    join(pack, "package.json"),
    JSON.stringify({ version: "1.2.0", yoi: { feature: "f.ts" }, main: "f.ts" }),
  );
  plant(join(pack, "f.ts"), hostile);

  const [listed, text, shown] = await Promise.all([
    json(home, "list"),
    feature(home, "list"),
    json(home, "show", "builtin:task"),
  ]);
  assert.deepEqual([listed["workspace"], listed["warnings"]], [home.workspace, []]);
  const features = listed["features"] as readonly Record<string, unknown>[];
  assert.deepEqual(
    features.map(({ id, status, path }) => [id, status, path]),
    [
      ["builtin:task", "installed", null],
      ["builtin:pods", "installed", null],
      ["builtin:ticket-store", "skipped", null],
      ["builtin:tickets", "skipped", null],
      [null, "unusable", join(folder, "Upper.ts")],
      ["project:broken", "not_approved", join(folder, "broken.ts")],
      ["project:canary", "not_approved", join(folder, "canary.ts")],
      ["project:endless", "not_approved", join(folder, "endless.ts")],
      ["user:mine", "not_approved", join(home.home, "config/features/mine.ts")],
      ["package:@acme/lint", "not_approved", pack],
    ],
  );
  const [task] = features;
  const report = task?.["report"] as Record<string, unknown>;
  assert.match(String(task?.["digest"]), /^[0-9a-f]{64}$/);
  assert.deepEqual(
    {
      feature: report["feature"],
      status: report["status"],
      digest: report["digest"],
      tools: (report["tools"] as string[]).toSorted(),
      skipped: report["skipped"],
      diagnostics: report["diagnostics"],
    },
    {
      feature: "builtin:task",
      status: "installed",
      digest: task?.["digest"],
      tools: ["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"],
      skipped: [],
      diagnostics: [],
    },
  );
  assert.equal(features.filter(({ digest }) => /^[0-9a-f]{64}$/.test(String(digest))).length, 9);
  assert.match(
    text.stdout,
    /^FEATURE +VERSION +RUNTIME +DIGEST +STATUS +SOURCE\nbuiltin:task +\d+\.\d+\.\d+ +builtin +[0-9a-f]{12} +installed +yoi\nbuiltin:pods +\d/,
  );
  assert.match(
    text.stdout,
    /^Upper\.ts +- +external_plugin +- +cannot be approved: its name "Upper" gives no id/m,
  );
  const descriptor = shown["descriptor"] as { id: string; tools: readonly { name: string }[] };
  assert.deepEqual(
    [descriptor.id, descriptor.tools.length, shown["digest"]],
    ["builtin:task", 4, task?.["digest"]],
  );
  assert.ok(!existsSync(canary), "code of a third party ran");
});

test("A2-47: a third party's feature is approved by its whole digest or at a terminal, shown when it changes, and revoked", async () => {
  using home = tempHome();
  const path = join(home.workspace, ".yoi/features/lint.ts");
  plant(path, "one\n");
  const id = "project:lint";
  const { digest } = await json(home, "show", id);
  const refusals = await Promise.all([
    feature(home, "approve", id),
    feature(home, "approve", "builtin:task", "--digest", String(digest)),
    feature(home, "approve", "project:lnit", "--json"),
  ]);
  assert.deepEqual(
    refusals.map(({ code }) => code),
    [2, 2, 3],
  );
  assert.match(refusals[0].stderr, /^yoi: There is no terminal to ask at: /m);
  assert.match(
    refusals[1].stderr,
    /^yoi: builtin:task ships with yoi: it needs no approval, and none can be given or revoked\./,
  );
  assert.deepEqual(JSON.parse(refusals[2].stdout), {
    error: 'There is no feature "project:lnit" here: did you mean project:lint? See `yoi feature list`.',
    error_code: "feature_unknown",
  });

  const approved = await feature(home, "approve", id, "--digest", String(digest));
  assert.deepEqual(
    [approved.code, approved.stdout],
    [0, `Approved ${id} with the digest ${String(digest)}. This version does not run it.\n`],
  );
  const shown = await feature(home, "show", id);
  assert.match(shown.stdout, /^ {2}status {3}approved, not run by this version$/m);

  writeFileSync(path, "two\u001b[2J\n");
  const again = await atTerminal(home, ["approve", id], "yes", () => writeFileSync(path, "three\n"));
  assert.equal(again.code, 0, again.stderr);
  assert.match(
    again.stderr,
    /\nChanged since it was approved\n--- "lint\.ts"\n\+\+\+ "lint\.ts"\n@@ -1,1 \+1,1 @@\n-one\n\+two\\u001b\[2J\n/,
  );
  const changed = await json(home, "show", id);
  assert.deepEqual(
    [changed["status"], (changed["difference"] as string[]).slice(-2)],
    ["changed", ["-two\\u001b[2J", "+three"]],
    "what was put in its place while the question stood is not approved",
  );

  const kept = join(home.home, "keep/approvals");
  writeFileSync(join(kept, readdirSync(kept)[0] ?? ""), "{}\n");
  const damaged = await feature(home, "list");
  assert.deepEqual(
    [damaged.code, /project:lint .* not approved /.test(damaged.stdout)],
    [0, true],
    damaged.stderr,
  );
  assert.match(damaged.stderr, /^yoi: The approval in .* is damaged .* it approves nothing/m);
  const elsewhere = join(home.workspace, "node_modules/elsewhere");
  mkdirSync(dirname(elsewhere), { recursive: true });
  symlinkSync(home.home, elsewhere);
  const [inText, inJson] = await Promise.all([feature(home, "show", id), json(home, "show", id)]);
  assert.deepEqual([inText.code, inJson["status"]], [0, "not_approved"], inText.stderr);
  const said = [
    'Packages that lead out of the workspace are not looked at: "elsewhere".',
    /^yoi: (The approval in .* is damaged .*)$/m.exec(damaged.stderr)?.[1],
  ];
  assert.deepEqual(inJson["warnings"], said, "what could not be looked at is shown with each feature");
  assert.equal(inText.stderr, said.map((sentence) => `yoi: ${sentence}\n`).join(""));
  assert.deepEqual(await json(home, "revoke", id), { revoked: id, was_approved: true });
  const { features } = (await json(home, "list")) as { features: readonly { id: string; status: string }[] };
  assert.equal(features.find((one) => one.id === id)?.status, "not_approved");
  assert.equal(readFileSync(path, "utf8"), "three\n");
});
