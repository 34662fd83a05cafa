/** docs/orchestration.md, word by word: its commands begin the work and end it, what it names is there, and its steps are the roles'. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { nodeHost } from "@yoi/host";
import { projectFiles, ticketBody } from "../../packages/cli/src/demo/tickets-project.ts";
import { openTicketStore } from "../../packages/cli/src/tickets/open-ticket-store.ts";
import { plant } from "../bad-input/machine.ts";
import { shell } from "../newcomer/shell.ts";
import { startAnthropicServer } from "../support/anthropic-server.ts";
import { eventually } from "../support/processes.ts";
import { tempHome } from "../support/temp-home.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(root, "docs/orchestration.md"), "utf8");
const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, code = ""]) => code);

test("the page's commands queue a ticket that an orchestrator is told of, with what it needs to have it done, and end one that is done", async () => {
  using home = tempHome();
  const { workspace } = home;
  const person = { HOME: home.env["HOME"] ?? "", PATH: process.env["PATH"] ?? "" };
  const names = ["-c", "user.name=hare", "-c", "user.email=hare@localhost"];
  const git = (...args: readonly string[]) =>
    execFileSync("git", [...names, ...args], { cwd: workspace, env: person, encoding: "utf8" });
  plant(join(person.HOME, ".gitconfig"), "[user]\nname = hare\nemail = hare@localhost\n");
  for (const [name, text] of Object.entries(projectFiles)) plant(join(workspace, name), text);
  git("init", "--quiet", "--initial-branch", "main");
  git("add", ".");
  git("commit", "--quiet", "--message", "Begin");
  plant(join(workspace, "ticket.md"), ticketBody);
  plant(join(home.home, "config/config.toml"), '[model]\nref = "anthropic/claude-sonnet-4-5"\n');
  const asked: string[] = [];
  const server = await startAnthropicServer({
    handler: ({ raw }) => {
      asked.push(raw.toString());
      return { blocks: [{ type: "text", text: "I will." }] };
    },
  });
  const options = { cwd: workspace, providerUrl: server.url, env: { USER: "hare" } };
  const play = async (script: string): Promise<string> => {
    const { code, stdout, stderr } = await shell(home, `set -e\n${script}`, options);
    assert.equal(code, 0, `${script}\n${stdout}${stderr}`);
    return stdout;
  };
  const [begin = "", end = ""] = blocks;
  assert.equal(blocks.length, 2);
  try {
    const said = await play(`${begin}echo "id $id"`);
    const id = /^id ([0-9A-Z]{13})$/m.exec(said)?.[1] ?? assert.fail(said);
    await eventually("it is told", () => asked.some((text) => text.includes("ready to queued")), 20_000);
    const request = asked.find((text) => text.includes("ready to queued")) ?? "";
    for (const part of [
      "ticket-orchestration",
      "builtin:coder",
      "builtin:reviewer",
      '"SpawnPod"',
      '"TicketTransition"',
    ])
      assert.ok(request.includes(part), `the request has ${part}`);
    // What the Pods do, as their roles may.
    const store = openTicketStore(nodeHost(), workspace);
    const lead = { author: "lead", role: "orchestrator" } as const;
    await store.transition(id, { to: "inprogress" }, lead);
    await store.add(id, { kind: "implementation_report", body: "Done." }, { author: "coder", role: "coder" });
    await store.add(
      id,
      { kind: "review", status: "approve", body: "Read." },
      { author: "reviewer", role: "reviewer" },
    );
    git("branch", `ticket/${id}`);
    git("clone", "--quiet", "--local", "--no-hardlinks", ".", `.yoi-work/${id}`);
    git("switch", "--quiet", `ticket/${id}`);
    git("commit", "--quiet", "--allow-empty", "--message", "Count the pieces");
    git("switch", "--quiet", "main");
    await store.transition(id, { to: "done" }, lead);
    assert.match(await play(`id=${id}\n${end}`), /Count the pieces/);
    assert.equal(git("log", "--format=%s"), `Close ${id}\nCount the pieces\nBegin\n`);
    assert.equal((await store.show(id)).state, "closed");
    assert.equal(existsSync(join(workspace, ".yoi-work", id)), false);
  } finally {
    await shell(home, "yoi pod stop lead", options);
    await server.close();
  }
});

test("skills and profiles that the page names come with yoi", () => {
  const shipped = globSync("packages/cli/skills/*", { cwd: root }).map((path) => path.split("/").at(-1));
  const skills = [...page.matchAll(/`(ticket-[a-z]+)`/g)].map(([, name]) => name);
  assert.deepEqual([...new Set(skills)].toSorted(), shipped.toSorted());
  for (const [, name] of page.matchAll(/builtin:([a-z]+)/g))
    assert.ok(existsSync(join(root, `packages/cli/src/profiles/built-in/${name}.ts`)), name);
});
