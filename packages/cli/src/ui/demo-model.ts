/** The offline demo of the first run: a scripted model that says what it is, and shows a Pod at work with real tools. */
import { join } from "node:path";
import type { Files } from "@yoi/host";

/** As a model, so that whoever looks at it sees what it is. */
export function demoModel(dataDir: string): string {
  return `scripted/${scenarioPath(dataDir)}`;
}

function scenarioPath(dataDir: string): string {
  return join(dataDir, "offline-demo.yaml");
}

/** The path of the scenario, which is there then, as this version has it. */
export async function writeDemo(files: Files, dataDir: string): Promise<string> {
  const path = scenarioPath(dataDir);
  await files.makeDirectory(dataDir);
  await files.replace(path, Buffer.from(scenario(), "utf8"));
  return path;
}

/** After what is told, so many prompts are answered. */
const answersMax = 200;

const over = [
  "That was the offline demo: no model reads what you type here.",
  "",
  "Leave with Ctrl-D, and begin with a real one: `yoi -m provider/model`, or `yoi` and choose a provider.",
].join("\n");

/** What the script tells, one answer after the other. */
const told: readonly Answer[] = [
  {
    text: [
      "This is the **offline demo**: a script answers, no model and no network.",
      "What you see of the Pod is real: its tools, its sandbox, its log. I look at the directory first.",
    ].join("\n"),
    tool: { name: "Bash", arguments: { command: "pwd; ls -1 | head -n 20" } },
  },
  {
    text: [
      "That ran in the sandbox of this Pod, and stands in its log. Text comes as Markdown:",
      "",
      "- a list, with `code`",
      "- **what is said** stays in the scrollback of your terminal",
      "",
      "```ts",
      "const promise = 'nothing that was acknowledged is lost';",
      "```",
      "",
      "Type another prompt: the next step takes a while, so that you can type ahead, or interrupt it with Esc.",
    ].join("\n"),
  },
  {
    text: "A command that takes ten seconds:",
    tool: {
      name: "Bash",
      arguments: { command: "for n in 1 2 3 4 5 6 7 8 9 10; do echo step $n; sleep 1; done" },
    },
  },
  {
    text: [
      "Done. Kill this terminal if you like: the Pod goes on in a process of its own, and `yoi` opens it again.",
      "`yoi pod verify` rebuilds every prompt of it from the log, and compares.",
    ].join("\n"),
  },
];

interface Answer {
  readonly text: string;
  readonly tool?: { readonly name: string; readonly arguments: Readonly<Record<string, string>> };
}

/** YAML takes JSON as it is. */
function scenario(): string {
  const steps = [...told, ...Array.from({ length: answersMax }, (): Answer => ({ text: over }))];
  const lines = steps.map(
    ({ text, tool }) =>
      `  - ${JSON.stringify({ text, ...(tool === undefined ? {} : { tool_calls: [tool] }) })}`,
  );
  return `# The offline demo of yoi's first run. Written anew each time it is chosen.\npace_ms: 20\nsteps:\n${lines.join("\n")}\n`;
}
