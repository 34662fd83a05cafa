/** `npm run bench -- [--steps N] [--runs N] [--save]`: what a step of yoi costs, beside a raw loop and the machine's limits. */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureMachine } from "./machine.ts";
import { measure, type Run } from "./measure.ts";
import { startModel } from "./model-process.ts";
import { report, type Results } from "./report.ts";
import { rawLoop, yoi, type Subject } from "./subject.ts";

const machineSamples = 50;

export interface BenchOptions {
  readonly steps: number;
  /** Of each subject, in turns, so that a slow moment of the machine meets all of them. */
  readonly runs: number;
  readonly subjects: readonly Subject[];
  readonly machineSamples: number;
}

export async function bench(options: BenchOptions): Promise<Results> {
  const machine = await measureMachine(options.machineSamples);
  await using model = await startModel();
  const subjects = options.subjects.filter((one) => machine.bubblewrapMs !== null || !one.needsBubblewrap);
  const runs = new Map<Subject, Run[]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < options.runs; round += 1) {
    for (const [subject, done] of runs) done.push(await measure(subject, model, options.steps));
  }
  const rows = [...runs].map(([subject, done]) => ({ name: subject.name, runs: done }));
  return { steps: options.steps, machine, rows };
}

function whole(value: string, flag: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number > 0) return number;
  console.error(`--${flag} takes a whole number above 0, not "${value}"`);
  process.exit(2);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      steps: { type: "string", default: "50" },
      runs: { type: "string", default: "3" },
      save: { type: "boolean", default: false },
    },
  });
  const results = await bench({
    steps: whole(values.steps, "steps"),
    runs: whole(values.runs, "runs"),
    subjects: [rawLoop, yoi("off"), yoi("on")],
    machineSamples,
  });
  console.log(report(results));
  if (values.save) {
    const folder = fileURLToPath(new URL("results/", import.meta.url));
    mkdirSync(folder, { recursive: true });
    const file = `${folder}${new Date().toISOString().replaceAll(":", "-")}.json`;
    writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
    console.log(`saved in ${file}`);
  }
}
