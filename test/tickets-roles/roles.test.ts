/** What Pods may not do with tickets: by their role's tools, and around them. Refused in a sentence each time, and nothing changes. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { plant } from "../bad-input/machine.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { yoiCommand } from "../support/yoi-process.ts";
import { type Call, Scene, type Tickets } from "./scene.ts";

const transition = (ticket: string, to: string, more: object = {}): Call => ({
  name: "TicketTransition",
  arguments: { ticket, to, ...more },
});
const review = (ticket: string): Call => ({
  name: "TicketReview",
  arguments: { ticket, status: "approve", body: "Fine." },
});
const comment = (ticket: string, kind: string): Call => ({
  name: "TicketComment",
  arguments: { ticket, kind, body: "Words." },
});

const bash = (command: string): Call => ({ name: "Bash", arguments: { command } });
const checkout = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** Of each role what it may not, and what the answer says. */
const refused: Readonly<Record<string, (tickets: Tickets) => readonly (readonly [Call, RegExp])[]>> = {
  intake: ({ ready, queued, reported, done }) => [
    [transition(ready, "queued"), /a person may/],
    [transition(queued, "inprogress"), /orchestrator/],
    [transition(done, "closed", { resolution: "Done." }), /a person/],
    [review(reported), /reviewer/],
    [comment(reported, "implementation_report"), /coder/],
  ],
  orchestrator: ({ planning, ready, inprogress, reported, done }) => [
    [transition(ready, "queued"), /a person may/],
    [transition(planning, "ready"), /intake/],
    [transition(inprogress, "done"), /review/],
    [transition(reported, "done"), /review/],
    [transition(inprogress, "planning"), /reason/],
    [transition(done, "closed", { resolution: "Done." }), /a person/],
    [review(reported), /reviewer/],
  ],
  coder: ({ ready, queued, reported, done }) => [
    [transition(ready, "queued"), /a person may/],
    [transition(queued, "inprogress"), /orchestrator/],
    [transition(reported, "done"), /orchestrator/],
    [transition(done, "closed", { resolution: "Done." }), /a person/],
    [review(reported), /reviewer/],
    [comment(reported, "decision"), /intake/],
  ],
  reviewer: ({ planning, ready, reported, done }) => [
    [transition(planning, "ready"), /intake/],
    [transition(ready, "queued"), /a person may/],
    [transition(reported, "done"), /orchestrator/],
    [transition(done, "closed", { resolution: "Done." }), /a person/],
    [comment(reported, "implementation_report"), /coder/],
  ],
};

test("each role is refused what is not its own, in a sentence that says whose it is, and no file of a ticket changes", async () => {
  using scene = new Scene();
  const tickets = await scene.tickets();
  const before = scene.files();
  const runs = Object.entries(refused).map(async ([role, of]) => {
    const table = of(tickets);
    const outcomes = await scene.run(
      `${role}-pod`,
      table.map(([call]) => call),
      "--read-only",
      "--profile",
      role,
    );
    assert.equal(outcomes.length, table.length, role);
    for (const [index, [call, says]] of table.entries()) {
      const { is_error, text } = outcomes[index] ?? { is_error: false, text: "" };
      assert.ok(is_error, `${role} ${JSON.stringify(call)}: ${text}`);
      assert.match(text, says, `${role} ${JSON.stringify(call)}`);
    }
  });
  await Promise.all(runs);
  assert.deepEqual(scene.files(), before);
});

test(
  "around the tools nothing is to be had either: file tools, a shell, git, and yoi itself in a shell",
  { skip: noBubblewrap() },
  async () => {
    using scene = new Scene();
    const { workspace } = scene.home;
    const tickets = await scene.tickets();
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        cwd: workspace,
        encoding: "utf8",
      });
    git("init", "-q", "-b", "main");
    git("add", ".yoi");
    git("commit", "-q", "-m", "tickets");
    git("checkout", "-q", "-b", "forged");
    const item = join(scene.root, tickets.ready, "item.md");
    const queued = scene.files()[`${tickets.ready}/item.md`]?.replace("state: ready", "state: queued") ?? "";
    assert.match(queued, /state: queued/);
    writeFileSync(item, queued);
    git("commit", "-q", "-a", "-m", "forged");
    git("checkout", "-q", "main");
    const before = scene.files();
    // So that the program itself can run in the sandbox.
    scene.config(`[[scope.allow]]\ntarget = ${JSON.stringify(checkout)}\npermission = "read"\n`);
    const status = `${yoiCommand} ticket status ${tickets.ready} queued`;
    const calls: readonly (readonly [Call, RegExp])[] = [
      [{ name: "Read", arguments: { file_path: item } }, /state: ready/],
      [{ name: "Write", arguments: { file_path: item, content: queued } }, /read-only.*`yoi ticket`/],
      [
        {
          name: "Edit",
          arguments: { file_path: item, old_string: "state: ready", new_string: "state: queued" },
        },
        /read-only.*`yoi ticket`/,
      ],
      [bash(`sed -i s/ready/queued/ ${item}`), /Read-only file system|Permission denied/],
      [bash("mv .yoi elsewhere"), /busy|Read-only|cannot move/],
      [bash("mv .yoi/tickets .yoi/t"), /busy|Read-only|cannot move/],
      [bash("git checkout forged"), /Read-only file system/],
      [bash(status), /writes for people/],
      [bash(`env -u YOI_CALL -u YOI_POD ${status}`), /yoi: /],
      [transition(tickets.ready, "queued"), /a person may/],
    ];
    const outcomes = await scene.run(
      "lead",
      calls.map(([call]) => call),
      "--profile",
      "orchestrator",
    );
    for (const [index, [call, says]] of calls.entries())
      assert.match(outcomes[index]?.text ?? "", says, JSON.stringify(call));
    assert.deepEqual(scene.files(), before);
    assert.equal(await scene.stateOf(tickets.ready), "ready");
    // Control: without a sandbox around it git writes what the branch holds.
    git("checkout", "-q", "-f", "forged");
    assert.notDeepEqual(scene.files(), before);
  },
);

test("with the sandbox off, yoi still does not write for a Pod that runs it (control: who takes the marks away is taken for a person)", async () => {
  using scene = new Scene();
  const { ready } = await scene.tickets();
  const status = `${yoiCommand} ticket status ${ready} queued`;
  const look = `grep ^state ${join(scene.root, ready, "item.md")}`;
  const calls = [bash(status), bash(look), bash(`env -u YOI_CALL -u YOI_POD ${status}`), bash(look)];
  const outcomes = await scene.run("lead", calls, "--profile", "orchestrator", "--sandbox", "off");
  const told = [
    /`yoi ticket` writes for people, and this is a command of a Pod/,
    /state: ready/,
    /queued/,
    /state: queued/,
  ];
  for (const [index, says] of told.entries()) assert.match(outcomes[index]?.text ?? "", says);
});

test("an orchestrator closes only where the user delegated it; a file of the workspace delegates nothing and gives no role", async () => {
  using scene = new Scene();
  const { done } = await scene.tickets();
  const close = transition(done, "closed", { resolution: "Merged as it was asked." });
  scene.config("[tickets]\nclose = true\n");
  const project = join(scene.home.workspace, ".yoi", "config.toml");
  plant(project, '[features]\ntickets = true\n[tickets]\nrole = "orchestrator"\nclose = true\n');
  const { code, stderr } = await scene.yoi("config", "check");
  assert.equal(code, 3);
  for (const key of [
    "features.tickets may not be true",
    "tickets.role may not be set",
    "tickets.close may not be true",
  ])
    assert.ok(stderr.includes(key), `${key}: ${stderr}`);
  rmSync(project);
  const [closed] = await scene.run("delegated", [close], "--profile", "orchestrator");
  assert.equal(closed?.is_error, false, closed?.text);
  const { state, resolution, events } = await scene.store.show(done);
  const { author, role, kind } = events.at(-1) ?? {};
  assert.deepEqual(
    [state, resolution?.trim(), kind, author, role],
    ["closed", "Merged as it was asked.", "close", "delegated", "orchestrator"],
  );
});
