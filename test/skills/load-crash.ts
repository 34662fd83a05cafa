/** A Pod whose model and user load a skill on a machine that dies at one disk operation: who is told that it is loaded has its text. */
import assert from "node:assert/strict";
import { type Entry, type InputPart, isKnown, type LogEntry, type PodName } from "@yoi/base";
import { crashAt, type MemoryHost, memoryHost } from "@yoi/host";
import { type Pod, readActive, verifyPod } from "@yoi/pod";
import type { LeaseTable } from "@yoi/pod-store";
import { attachSkill, openSkills, type SkillDesk, type SkillPlace, skillTool } from "@yoi/tools";
import { openScripted } from "../../packages/model/src/scripted/index.ts";
import { openSimulated, simulatedPod, simulatedStores } from "../support/simulated-pod.ts";

const bodies = { review: "Look at every line.", release: "Tag it." };
export const place: SkillPlace = {
  source: "project",
  directory: "/w/.agents/skills",
  reader: {
    folders: async () => ({ names: Object.keys(bodies), isCut: false }),
    read: async (path) => {
      const name = path.includes("/review/") ? "review" : "release";
      const text = `---\nname: ${name}\ndescription: About ${name}.\n---\n${bodies[name]}\n`;
      return { path, bytes: Buffer.from(text) };
    },
    files: async () => ({ names: ["SKILL.md"], isCut: false }),
    owner: () => "ours",
  },
};

const load = { tool_calls: [{ name: "Skill", arguments: { name: "review" } }] };
const scenario = JSON.stringify({
  steps: Array.from({ length: 8 }, (_, index) => [
    { text: `Said ${index}.` },
    load,
    { text: "Done." },
  ]).flat(),
});
const text = (said: string): readonly InputPart[] => [{ type: "text", text: said }];
const inputs: readonly (readonly InputPart[])[] = [
  [{ type: "skill_ref", name: "release" }, ...text(" it")],
  text("then review"),
  [{ type: "skill_ref", name: "release" }, ...text(" again")],
];

export interface Machine {
  readonly host: MemoryHost;
  readonly leases: LeaseTable;
  /** Told what history says of it, as a Pod's is; not: it goes by what it gave. */
  readonly desk: SkillDesk;
  readonly recalls: boolean;
  /** Default: the simulated one. */
  readonly name?: PodName;
}

export function open({ host, leases, desk, recalls, name = simulatedPod }: Machine): Promise<Pod> {
  return openSimulated({
    host,
    leases,
    name,
    scenario,
    tools: [skillTool(desk)],
    attach: async (references) => ({
      items: await Promise.all(
        references.map((one) => attachSkill(one.type === "skill_ref" ? one.name : "", desk)),
      ),
      warnings: [],
    }),
    recall: (items, extent) => {
      if (!recalls) return;
      if (extent === "whole") desk.loaded.forget();
      desk.loaded.recall(items);
    },
  });
}

async function live(machine: Machine): Promise<void> {
  const pod = await open(machine);
  for (const parts of inputs) await pod.submit(parts);
  await pod.close();
}

/** Disk operations of a life in which nothing happens. */
export async function operationsOfALife(): Promise<number> {
  const host = memoryHost({ seed: 1 });
  await live({ host, leases: new Map(), desk: await openSkills([place]), recalls: true });
  return host.disk.operations;
}

/** @param at the disk operation at which the machine dies. */
export async function loadCase(
  at: number,
  { loss, recalls }: { readonly loss: "power" | "process"; readonly recalls: boolean },
): Promise<void> {
  const leases: LeaseTable = new Map();
  const host = memoryHost({ seed: 1 });
  const desk = await openSkills([place]);
  host.disk.plan = crashAt(at);
  await live({ host, leases, desk, recalls }).catch((error: unknown) => {
    if (!host.crashed) throw error;
  });
  host.crash(loss);
  const next: Machine = { host: host.restart(), leases, desk, recalls };
  const pod = await open(next);
  if (pod.snapshot.state === "paused") await pod.resume();
  for (const parts of inputs.slice(1)) await pod.submit(parts);
  await pod.close();
  const stores = simulatedStores(next.host, leases);
  judge((await readActive(stores, simulatedPod)).view.entries, `operation ${at}, ${loss}`);
  const report = await verifyPod(stores, simulatedPod, {
    wireRequestsMax: 40,
    openModel: async () => openScripted({ name: "sim.yaml", text: scenario, ports: next.host }),
  });
  assert.deepEqual([report.problems, report.wireChecked], [[], report.requests]);
}

function judge(log: readonly LogEntry[], where: string): void {
  const entries = log.filter(isKnown);
  const isText = (entry: Entry | undefined, name: keyof typeof bodies) =>
    entry?.kind === "system_item" && entry.item.kind === "skill" && entry.item.body.endsWith(bodies[name]);
  let told = 0;
  for (const [index, entry] of entries.entries()) {
    const before = entries.slice(0, index);
    if (entry.kind === "tool_result" && !entry.item.is_error) {
      told += 1;
      const { summary } = entry.item;
      if (summary.startsWith("Loaded"))
        assert.ok(isText(entries[index - 1], "review"), `${where}: ${summary}, and its text is not there`);
      else
        assert.ok(
          before.some((one) => isText(one, "review")),
          `${where}: ${summary}, and it is not`,
        );
    }
    if (entry.kind === "system_item" && entry.item.body.includes("was loaded before"))
      assert.ok(
        before.some((one) => isText(one, "release")),
        `${where}: said to be loaded before`,
      );
    if (entry.kind === "user_input" && entry.attachments !== undefined) {
      const next = entries[index + 1];
      const isThere = next?.kind === "system_item" && next.item.kind === "skill";
      const request = entries.slice(index).findIndex(({ kind }) => kind === "llm_request");
      const meanwhile = request < 0 ? [] : entries.slice(index, index + request);
      const isSaid = meanwhile.some(
        (one) => one.kind === "system_item" && one.item.body.includes("load the skill that the input names"),
      );
      assert.ok(isThere || request < 0 || isSaid, `${where}: an input without its skill, and nobody said so`);
    }
  }
  assert.ok(told > 0, `${where}: the model never loaded it`);
}
