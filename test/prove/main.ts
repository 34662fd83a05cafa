/** `npm run prove -- [--minutes N] [--only NAME] [--case K] [--restart]`: the full counts of every fault property, over as many runs as it takes. */
import { fileURLToPath } from "node:url";
import { inspect, parseArgs } from "node:util";
import type { Proof } from "../support/proof.ts";
import { findProofs } from "./find-proofs.ts";
import { loadPositions, savePositions, type Positions } from "./position.ts";
import { type Failure, runSchedule } from "./schedule.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const positionFile = fileURLToPath(new URL("../../.prove/position.json", import.meta.url));
const saveEveryMs = 1_000;

const usage = "usage: npm run prove -- [--minutes N] [--only NAME] [--case K] [--restart]";

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: "string" },
        only: { type: "string" },
        case: { type: "string" },
        restart: { type: "boolean", default: false },
      },
    });
    const minutes = values.minutes === undefined ? Infinity : Number(values.minutes);
    const index = values.case === undefined ? null : Number(values.case);
    if (!(minutes > 0)) fail(`--minutes takes a number above 0, not "${values.minutes}"\n${usage}`);
    if (index !== null && !(Number.isSafeInteger(index) && index >= 0 && values.only !== undefined)) {
      fail(`--case takes the index of a case and needs --only NAME\n${usage}`);
    }
    return { minutes, index, only: values.only, restart: values.restart };
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

function report(proofs: readonly Proof[], positions: Positions, failure: Failure | null): void {
  for (const { name, cases } of proofs) {
    const failed = failure?.name === name ? 1 : 0;
    console.log(
      `${name}: ${Math.min(positions.get(name) ?? 0, cases.prove)} of ${cases.prove}, ${failed} failed`,
    );
  }
}

function reportFailure(failure: Failure): void {
  console.error(`\n${failure.name}: case ${failure.index} failed\n${inspect(failure.cause)}`);
  console.error(`run it alone: npm run prove -- --only "${failure.name}" --case ${failure.index}`);
}

const { minutes, index, only, restart } = readArguments();
const all = await findProofs(root);
const proofs = only === undefined ? all : all.filter((proof) => proof.name === only);
if (proofs.length === 0) {
  fail(
    only === undefined
      ? "no proof was found: nothing would be proved"
      : `no proof is named "${only}"; there are:\n${all.map((proof) => `  ${proof.name}`).join("\n")}`,
  );
}

const single = index === null ? undefined : proofs[0];
if (single !== undefined && index !== null) {
  try {
    await single.check(index);
    console.log(`${single.name}: case ${index} holds`);
  } catch (cause) {
    reportFailure({ name: single.name, index, cause });
    process.exitCode = 1;
  }
} else {
  const saved = loadPositions(positionFile);
  const chosen = new Set(proofs.map((proof) => proof.name));
  const start = new Map([...saved].filter(([name]) => !(restart && chosen.has(name))));
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  let savedAtMs = performance.now();
  const outcome = await runSchedule({
    proofs,
    positions: start,
    now: () => performance.now(),
    untilMs: performance.now() + minutes * 60_000,
    signal: stop.signal,
    progress: (positions) => {
      if (performance.now() - savedAtMs < saveEveryMs) return;
      savePositions(positionFile, positions);
      savedAtMs = performance.now();
    },
  });
  savePositions(positionFile, outcome.positions);
  report(proofs, outcome.positions, outcome.failure);
  if (outcome.failure !== null) {
    reportFailure(outcome.failure);
    process.exitCode = 1;
  }
}
