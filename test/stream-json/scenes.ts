/** The runs whose whole streams are kept: how each is made, with the scripted model and real tools. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { aliveIn, eventually } from "../support/processes.ts";
import type { TempHome } from "../support/temp-home.ts";
import { runYoi, startYoi, type YoiResult } from "../support/yoi-process.ts";

export interface Scene {
  readonly name: string;
  readonly scenario: string;
  readonly flags: readonly string[];
  readonly exit: number;
  /** The first run is killed in its tool call; the stream is that of the one that goes on. */
  readonly killed?: boolean;
}

const usage = "usage: { input: 40, output: 8, cache_read: 16 }";
const bash = (command: string) => `{ name: Bash, arguments: { command: "${command}" } }`;

export const scenes: readonly Scene[] = [
  {
    name: "plain-answer",
    scenario: `steps:\n  - { reasoning: "I think.", text: "An answer.\u2028With a line of its own.", ${usage} }\n`,
    flags: [],
    exit: 0,
  },
  {
    name: "parallel-calls",
    scenario: `steps:
  - text: Two at once.
    tool_calls: [{ name: Read, arguments: { file_path: WORKSPACE/note.txt } }, { name: Read, arguments: { file_path: WORKSPACE/none.txt } }]
    ${usage}
  - { text: Both done., ${usage} }
`,
    flags: [],
    exit: 0,
  },
  {
    name: "shell-call",
    scenario: `steps:
  - tool_calls: [${bash("echo one; sleep 0.2; echo two; exit 3")}]
    ${usage}
  - { text: It failed., ${usage} }
`,
    flags: ["--sandbox", "off"],
    exit: 0,
  },
  {
    name: "denied-call",
    scenario: `steps:
  - tool_calls: [{ name: Write, arguments: { file_path: WORKSPACE/out.txt, content: x } }]
    ${usage}
  - { text: I may not., ${usage} }
`,
    flags: ["--permission-mode", "ask"],
    exit: 6,
  },
  {
    name: "retry",
    scenario: `steps:
  - retries:
      - { wait_ms: 5, failure: { kind: overloaded, status: 529, message: The provider is busy. } }
      - { wait_ms: 5, failure: { kind: stream_broken, message: It broke off. }, ${usage} }
    text: At last.
    ${usage}
`,
    flags: [],
    exit: 0,
  },
  {
    name: "broken-stream",
    scenario: `steps:
  - attempts:
      - { text: "The first half and the second half.", cut_after: 15, ${usage} }
      - { text: " and the rest.", ${usage} }
`,
    flags: [],
    exit: 0,
  },
  {
    name: "failed-run",
    scenario: "steps:\n  - failure: { kind: not_found, status: 404, message: There is no such model. }\n",
    flags: [],
    exit: 1,
  },
  {
    name: "turn-limit",
    scenario: `steps:
  - { tool_calls: [{ name: Read, arguments: { file_path: WORKSPACE/note.txt } }], ${usage} }
  - { text: Never said., ${usage} }
`,
    flags: ["--max-turns", "1"],
    exit: 5,
  },
  {
    name: "timeout",
    scenario: `steps:
  - { tool_calls: [${bash("sleep 60")}], ${usage} }
  - { text: Never said., ${usage} }
`,
    flags: ["--timeout", "2", "--sandbox", "off"],
    exit: 5,
  },
  {
    name: "paused",
    scenario:
      "steps:\n  - failure: { kind: rate_limit, status: 429, message: Come back later., retry_after_ms: 7200000 }\n",
    flags: [],
    exit: 75,
  },
  {
    name: "resumed-after-kill",
    scenario: `steps:
  - { text: I start., tool_calls: [${bash("echo on > started; sleep 60")}], ${usage} }
  - { text: Gone on., ${usage} }
`,
    flags: ["--sandbox", "off"],
    exit: 0,
    killed: true,
  },
  { name: "usage-error", scenario: "steps: []\n", flags: ["--max-turns", "none"], exit: 2 },
  { name: "not-opened", scenario: "steps: []\n", flags: ["-m", "nosuch/model"], exit: 3 },
];

const pod = "scene";

export function flagsOf({ flags }: Pick<Scene, "flags">): readonly string[] {
  return ["--pod", pod, "-m", "scripted/s.yaml", ...flags];
}

export async function play(scene: Scene, home: TempHome): Promise<YoiResult> {
  writeFileSync(join(home.workspace, "note.txt"), "a note\n");
  writeFileSync(join(home.workspace, "s.yaml"), scene.scenario.replaceAll("WORKSPACE", home.workspace));
  const options = { env: home.env, cwd: home.workspace };
  const flags = [...flagsOf(scene), "--output-format", "stream-json"];
  if (scene.killed !== true) return runYoi(["run", "go", ...flags], options);
  const first = startYoi(["run", "go", ...flags], options);
  await eventually("the tool runs", () => existsSync(join(home.workspace, "started")), 20_000);
  first.kill("SIGKILL");
  await first.ended;
  await eventually("its watchdog has ended the tool", () => aliveIn(home.workspace).length === 0);
  return runYoi(["run", ...flags], options);
}
