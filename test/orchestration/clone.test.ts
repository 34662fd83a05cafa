/** The commands of the skill ticket-orchestration, in the sandbox: a clone can take over a main whose tickets went on, and a branch that holds tickets is named. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { callId, podName, type Scope } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { createCommandRunner, findToolchains, resolveProtection } from "@yoi/sandbox";
import { defaultScope, protectionOf, scopeRule } from "@yoi/scope";
import { plant } from "../bad-input/machine.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { tempHome } from "../support/temp-home.ts";

const skill = readFileSync(
  new URL("../../packages/cli/skills/ticket-orchestration/SKILL.md", import.meta.url),
  "utf8",
);
const id = "00001KT6Q08R9";

/** What stands there as commands: lines that are set in. */
function commandsOf(section: string): string {
  const [, text = ""] = new RegExp(`^## ${section}\\n([^]*?)^## `, "m").exec(skill) ?? [];
  const lines = [...text.matchAll(/^ {4,7}(\S.*)$/gm)].map(([, line = ""]) => line);
  assert.ok(lines.length > 0, section);
  return lines.join("\n").replaceAll("ID", id);
}

const making = commandsOf("2\\. A private clone");
const looking = commandsOf("6\\. Finish");
const asSomebody = "-c user.name=a -c user.email=a@localhost";

/** A repository with a ticket, and shells as the orchestrator and the coder have them. */
async function scene() {
  const home = tempHome();
  const { workspace } = home;
  const clone = join(workspace, ".yoi-work", id);
  const env = { PATH: process.env["PATH"], HOME: home.env["HOME"] };
  const path = env.PATH ?? "";
  const places = { workspace, home: home.env["HOME"] ?? "", toolchains: [] };
  const { allow } = defaultScope({ ...places, toolchains: findToolchains({ path, ...places }) });
  const lead: Scope = { allow, deny: [] };
  const elsewhere = allow.filter(({ target }) => target !== workspace);
  const coder: Scope = {
    allow: [...elsewhere, scopeRule(workspace, "read"), scopeRule(clone, "write")],
    deny: [],
  };
  const { timers, clock } = nodeHost();
  const runner = await createCommandRunner({
    mode: "on",
    protection: resolveProtection(protectionOf({ ...places, own: [home.home], spill: null })),
    env,
    timers,
    clock,
    quarantine: () => Promise.reject(new Error("there is nothing to put away")),
    unixSockets: true,
  });
  let calls = 0;
  const shell = async (scope: Scope, script: string): Promise<{ code: number; text: string }> => {
    calls += 1;
    const chunks: Uint8Array[] = [];
    const exit = await runner.run({
      pod: podName("somebody"),
      call: callId(calls, 0),
      script,
      cwd: workspace,
      scope,
      network: false,
      timeoutMs: 20_000,
      signal: new AbortController().signal,
      onOutput: (chunk) => chunks.push(chunk),
    });
    return { code: exit.kind === "exited" ? exit.code : -1, text: Buffer.concat(chunks).toString().trim() };
  };
  const person = (...args: readonly string[]) =>
    execFileSync("git", [...asSomebody.split(" "), ...args], { cwd: workspace, encoding: "utf8" });
  const commit = (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) plant(join(workspace, name), text);
    person("add", ".");
    person("commit", "--quiet", "--message", "x");
  };
  person("init", "--quiet", "--initial-branch", "main");
  commit({
    [`.yoi/tickets/${id}/item.md`]: "state: inprogress\n",
    "total.js": "1\n",
    ".gitignore": ".lock\n",
  });
  return {
    clone,
    commit,
    lead: (script: string) => shell(lead, script),
    coder: (script: string) => shell(coder, `cd ${clone}\n${script}`),
    async [Symbol.asyncDispose]() {
      await runner.close();
      home[Symbol.dispose]();
    },
  };
}

const work = `echo 1 > new.js; git add --all; git ${asSomebody} commit --quiet --message new`;
const takeOver = `git fetch --quiet origin && git ${asSomebody} rebase --quiet origin/main`;

test(
  "a coder takes over a main whose tickets went on (control: in a clone that holds them it cannot)",
  { skip: noBubblewrap() },
  async () => {
    const sparse = /^.*sparse-checkout.*\n/m;
    assert.match(making, sparse);
    for (const [script, takes] of [
      [making, true],
      [making.replace(sparse, ""), false],
    ] as const) {
      await using place = await scene();
      const made = await place.lead(`set -e\n${script}`);
      assert.deepEqual(made, { code: 0, text: "" });
      place.commit({
        [`.yoi/tickets/${id}/item.md`]: "state: inprogress\nlabels: [new]\n",
        "helper.js": "2\n",
      });
      const { code, text } = await place.coder(`${work} && ${takeOver}`);
      if (!takes) {
        assert.notEqual(code, 0, text);
        assert.match(text, /Read-only file system/);
        continue;
      }
      assert.deepEqual({ code, text }, { code: 0, text: "" });
      assert.deepEqual(
        readdirSync(place.clone)
          .toSorted()
          .filter((name) => name !== ".git"),
        [".gitignore", "helper.js", "new.js", "total.js"],
      );
      assert.deepEqual(await place.coder("git status --short"), { code: 0, text: "" });
      assert.deepEqual(await place.lead(looking), { code: 0, text: "" });
      assert.ok(!existsSync(join(place.clone, ".yoi")));
    }
  },
);

test("a clone of a workspace on no branch knows where its work began", { skip: noBubblewrap() }, async () => {
  await using place = await scene();
  await place.lead("git switch --quiet --detach HEAD");
  place.commit({ "helper.js": "on no branch" });
  assert.equal((await place.lead(`set -e\n${making}`)).code, 0);
  await place.coder(work);
  const log = "git log --format=%s origin/HEAD..HEAD";
  assert.deepEqual(await place.coder(log), { code: 0, text: "new" });
});

test(
  "a branch that changes what is below .yoi is named before it is taken, however it came to hold them",
  { skip: noBubblewrap() },
  async () => {
    for (const path of [
      `.yoi/tickets/${id}/item.md`,
      ".yoi/tickets/0000000000001/item.md",
      ".YOI/Tickets/x",
      ".yoi/skills/ticket-review/SKILL.md",
      ".yoi/config.toml",
    ]) {
      await using place = await scene();
      await place.lead(`set -e\n${making}`);
      const forged = `blob=$(echo "state: queued" | git hash-object -w --stdin) && git update-index --add --cacheinfo 100644,$blob,${path} && git ${asSomebody} commit --quiet --message forged`;
      assert.deepEqual(await place.coder(`${work} && ${forged}`), { code: 0, text: "" });
      assert.deepEqual(await place.lead(looking), { code: 0, text: path });
    }
  },
);
