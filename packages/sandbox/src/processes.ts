/** Processes as /proc shows them: who descends from whom, who is in a group, who carries a mark. */
import { readdirSync, readFileSync } from "node:fs";
import { ownerVariable } from "./environment.ts";

/** A process told apart from a later one with the same pid. */
export interface ProcessMark {
  readonly pid: number;
  /** Clock ticks since boot. */
  readonly started: number;
}

interface ProcessFacts extends ProcessMark {
  readonly state: string;
  readonly group: number;
}

/** Most processes that one look takes in. */
const processesMax = 32_768;

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, "latin1");
  } catch {
    return "";
  }
}

export function lookAt(pid: number): ProcessFacts | null {
  const text = readProc(`${pid}/stat`);
  // The name, in parentheses, may hold anything: fields are counted from the last parenthesis.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, , group] = fields;
  const started = fields[19];
  if (state === undefined || state === "" || group === undefined || started === undefined) return null;
  return { pid, state, group: Number(group), started: Number(started) };
}

/** True while it runs: not gone, not a zombie, not another process with its pid. */
export function isRunning(process: ProcessMark): boolean {
  const now = lookAt(process.pid);
  return now !== null && now.started === process.started && now.state !== "Z" && now.state !== "X";
}

function allPids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .slice(0, processesMax)
    .map(Number);
}

/** The running members of a process group. */
export function groupMembers(group: number): ProcessMark[] {
  return allPids()
    .map(lookAt)
    .filter((facts) => facts !== null)
    .filter((facts) => facts.group === group && facts.state !== "Z" && facts.state !== "X");
}

/** The descendants of a process, itself left out, parents first. */
export function descendants(pid: number): number[] {
  const found: number[] = [];
  const waiting = [pid];
  for (
    let parent = waiting.shift();
    parent !== undefined && found.length < processesMax;
    parent = waiting.shift()
  ) {
    const children = readProc(`${parent}/task/${parent}/children`).split(" ").filter(Boolean).map(Number);
    found.push(...children);
    waiting.push(...children);
  }
  return found;
}

/**
 * The running processes whose environment has `YOI_CALL=<start>...` and names no other owner than `owner`: as it was when they
 * started, and readable.
 */
export function processesWithCall(start: string, owner: string | null): ProcessMark[] {
  const wanted = `\0YOI_CALL=${start}`;
  return allPids().flatMap((pid) => {
    const environ = `\0${readProc(`${pid}/environ`)}`;
    if (!environ.includes(wanted)) return [];
    if (environ.includes(`\0${ownerVariable}=`) && !environ.includes(`\0${ownerVariable}=${owner}\0`))
      return [];
    const facts = lookAt(pid);
    return facts === null || facts.state === "Z" ? [] : [{ pid, started: facts.started }];
  });
}

/** A process and everything it descends from. */
export function ancestry(pid: number): Set<number> {
  const found = new Set<number>();
  for (let next = pid; next > 0 && !found.has(next);) {
    found.add(next);
    const text = readProc(`${next}/stat`);
    next = Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
  }
  return found;
}
