/** The shell lines of the skills that ship, as they stand there: each block is one call of Bash, in the sandbox, of a Pod of the role that reads it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { call, command } from "../attachments/place.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { tempHome } from "../support/temp-home.ts";

const id = "0000000000001";

/** Blocks that are commands, and of `spans` those in a sentence. */
function linesOf(skill: string, spans?: RegExp): readonly string[] {
  const url = new URL(`../../packages/cli/skills/${skill}/SKILL.md`, import.meta.url);
  const text = readFileSync(url, "utf8");
  const blocks = [...text.matchAll(/(?:^ {4,}\S.*\n)+/gm)].map(([block]) => block.replaceAll(/^ +/gm, ""));
  return [
    ...blocks.filter((block) => /^(?:git|test|echo) /.test(block)),
    ...(spans === undefined ? [] : [...text.matchAll(spans)].map(([, line = ""]) => line)),
  ];
}

test(
  "each block of shell lines in a skill of yoi does what it says, in a call of its own",
  { skip: noBubblewrap() },
  async () => {
    using home = tempHome();
    const { workspace } = home;
    const clone = join(workspace, ".yoi-work", id);
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=hare", "-c", "user.email=hare@localhost", ...args], {
        cwd: workspace,
        env: { PATH: process.env["PATH"], HOME: home.env["HOME"] },
        encoding: "utf8",
      });
    const put = (path: string, text: string) => writeFileSync(join(workspace, path), text);
    git("init", "--quiet", "--initial-branch", "main");
    put("sum.sh", "echo 1\n");
    put(".gitignore", "/node_modules/\n");
    git("add", ".");
    git("commit", "--quiet", "--message", "Begin");
    mkdirSync(join(workspace, "node_modules"));
    put("node_modules/installed", "yes\n");

    /** What each call printed, or that it failed. */
    const play = async (role: string, lines: readonly string[], pod = role): Promise<readonly string[]> => {
      const scenario = join(home.root, `${pod}.yaml`);
      const steps = [...lines.map((line) => call("Bash", { command: line })), { text: "Done." }];
      writeFileSync(scenario, JSON.stringify({ steps }));
      const flags = ["--profile", `builtin:${role}`, "-m", `scripted/${scenario}`];
      await command(home, "run", "--pod", pod, ...flags, "go");
      const { stdout } = await command(home, "pod", "log", pod, "--json");
      const entries = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      return entries.flatMap(({ kind, item }) =>
        kind === "tool_result"
          ? [`${/\(exit \d+\)$/.test(item.summary) ? "failed: " : ""}${item.content ?? ""}`]
          : [],
      );
    };
    const filled = (line: string, check: string) =>
      line
        .replaceAll("WORKSPACE", workspace)
        .replaceAll("CLONE", clone)
        .replaceAll(/\bID\b/g, id)
        .replaceAll("FILES", "sum.sh")
        .replaceAll("CHECK", check);

    const [check = "", begin = "", ...end] = linesOf("ticket-orchestration", /`(git (?:fetch|log) [^`]+)`/g);
    const head = git("rev-parse", "HEAD").trim();
    // The second time it makes nothing.
    assert.deepEqual(
      (
        await play(
          "orchestrator",
          [check, begin, begin, "ls .yoi-work"].map((line) => filled(line, "")),
        )
      ).map((text) => text.trim()),
      [head, "", "", id],
    );
    assert.equal(git("-C", clone, "rev-parse", "HEAD").trim(), head);
    assert.ok(!existsSync(join(clone, `${id}.part`)));

    const [commit = "", link = "", before = ""] = linesOf("ticket-implementation");
    const change = `printf 'echo 2\\n' >${clone}/sum.sh && printf 'test "$(sh sum.sh)" = 2\\n' >${clone}/sum.test.sh`;
    const state = `git -C ${clone} status --short && git -C ${clone} show --format= --name-only && cat ${clone}/node_modules/installed`;
    const coded = await play("coder", [
      change,
      filled(commit, ""),
      filled(link, ""),
      state,
      filled(before, "cat sum.sh"),
      "ls -d /tmp/before",
    ]);
    assert.deepEqual([coded[0], coded[2]], ["", ""]);
    assert.deepEqual(coded.slice(3, 5), ["sum.sh\nsum.test.sh\nyes", "echo 1"]);
    // A call has a /tmp of its own.
    assert.match(coded[5] ?? "", /^failed: .*No such file/);

    const [read = "", copy = "", without = ""] = linesOf("ticket-review");
    const linked = `ln -s ${workspace}/node_modules node_modules && cat node_modules/installed`;
    const reviewed = await play("reviewer", [
      filled(read, ""),
      filled(copy, "sh sum.test.sh"),
      filled(copy, linked),
      filled(without, "sh sum.test.sh"),
    ]);
    assert.match(reviewed[0] ?? "", /^[0-9a-f]{40}\n[0-9a-f]{7,} \.\.\.\n[^]*^\+echo 2$/m);
    assert.deepEqual(reviewed.slice(1), ["", "yes", "failed: "]);

    const ended = await play(
      "orchestrator",
      end.map((line) => filled(line, "")),
      "finish",
    );
    assert.match(ended.at(-1) ?? "", /^[0-9a-f]{7,} \.\.\.$/);
  },
);
