/** Skills over the socket of a hosted Pod: which it offers, an input that names one, at once and for later, and one that it does not know. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { skillOfferCharsMax, skillsOfferedMax } from "../../packages/protocol/src/index.ts";
import { Hosting } from "./hosted.ts";
import type { Entry, RawClient } from "./raw-client.ts";

const scenario = JSON.stringify({ steps: [{ text: "One." }, { text: "Two." }, { text: "Three." }] });
const skillIn = (workspace: string, name: string, description: string): void => {
  const folder = join(workspace, ".agents/skills", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "SKILL.md"),
    `---\nname: ${name}\ndescription: ${description}\n---\nThe text of ${name}.\n`,
  );
};
const offered = ({ snapshot }: RawClient): unknown => {
  const { about } = (snapshot ?? assert.fail("no snapshot")) as { readonly about?: { skills?: unknown } };
  return about?.skills;
};

/** The input with those parts, and what came behind it in its batch. */
function batchOf(log: readonly Entry[], name: string): readonly (readonly [kind: string, what: unknown])[] {
  const input = log.find(
    ({ kind, parts }) => kind === "user_input" && JSON.stringify(parts).includes(`"name":"${name}"`),
  );
  assert.ok(input !== undefined, name);
  return log
    .filter(({ batch, seq }) => batch === input["batch"] && seq >= input.seq)
    .map((entry) => {
      const item = entry["item"] as { kind: string; record?: { skill: string } } | undefined;
      return [entry.kind, item === undefined ? entry["parts"] : [item.kind, item.record?.skill]];
    });
}

test("a client is told of the skills of a Pod, and an input that names one brings its text along, once", async () => {
  await using hosting = new Hosting();
  const { workspace } = hosting.home;
  skillIn(workspace, "release", "x".repeat(skillOfferCharsMax + 1));
  skillIn(workspace, "notes", "How notes are kept.");
  const pod = await hosting.startPod("p", scenario);
  const first = await pod.client();
  await first.until("the snapshot", () => first.snapshot !== null);
  const skills = [
    { name: "notes", description: "How notes are kept." },
    { name: "release", description: "x".repeat(skillOfferCharsMax) },
  ];
  assert.deepEqual(offered(first), skills);

  const now = {
    parts: [
      { type: "skill_ref", name: "release" },
      { type: "text", text: " 1.2" },
    ],
  };
  const begun = await first.ask("submit", { ...now, submission: "s-1" });
  await first.endOf(begun);
  assert.deepEqual(await first.ask("submit", { ...now, submission: "s-1" }), {
    id: "r2",
    result: { ...begun.result, duplicate: true },
  });
  const input = [
    ["user_input", now.parts],
    ["system_item", ["skill", "release"]],
  ];
  assert.deepEqual(batchOf(pod.log(), "release"), input);

  const refused = await first.ask("submit", {
    parts: [{ type: "skill_ref", name: "../notes" }],
    submission: "s-2",
  });
  assert.deepEqual(
    [refused.error?.code, refused.error?.message],
    [
      "invalid_request",
      "params.parts[0].name is no name of a skill: these are lower-case letters, digits and single hyphens.",
    ],
  );

  // For later: it is read when it is given.
  const queued = await first.ask("queue", {
    parts: [{ type: "skill_ref", name: "notes" }],
    submission: "s-3",
    when: "run_end",
  });
  assert.equal(queued.error, undefined);
  await first.until("its run's end", () => first.runsEnded === 2);
  assert.deepEqual(
    batchOf(pod.log(), "notes").map(([kind]) => kind),
    ["user_input", "system_item"],
  );
  rmSync(join(workspace, ".agents/skills/release"), { recursive: true });
  await pod.kill9();
  await pod.restore();
  const again = await pod.client();
  await again.until("the snapshot", () => again.snapshot !== null);
  assert.deepEqual(offered(again), skills.slice(0, 1));
  assert.deepEqual(batchOf(pod.log(), "release"), input);

  // One that is gone: the prompt goes without it, and the user hears why.
  const without = await again.ask("submit", { ...now, submission: "s-4" });
  await again.endOf(without);
  const warned = again.live.filter(({ type }) => type === "alert").map(({ message }) => message);
  assert.match(warned.join("\n"), /\/release stays as it was typed: There is no skill "release"\./);
  again.drop();
  const { code, stdout } = await hosting.yoi("pod", "verify", "p", "--wire");
  assert.deepEqual([code, stdout.split("\n")[0]], [0, "p: verified"]);
});

test("a Pod without skills tells of none, and of very many as many as a view names", async () => {
  await using hosting = new Hosting();
  const bare = await hosting.startPod("bare", scenario);
  const client = await bare.client();
  await client.until("the snapshot", () => client.snapshot !== null);
  assert.equal(offered(client), undefined);
  client.drop();
  await bare.stop();
  for (let n = 0; n <= skillsOfferedMax; n += 1)
    skillIn(hosting.home.workspace, `s${String(n).padStart(4, "0")}`, "One of many.");
  const many = await hosting.startPod("many", scenario);
  const other = await many.client();
  await other.until("the snapshot", () => other.snapshot !== null);
  assert.equal((offered(other) as readonly unknown[]).length, skillsOfferedMax);
  other.drop();
});
