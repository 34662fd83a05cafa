/** Matching globs in time that grows with the name and not with what a glob repeats: all ways through it are followed at once. */
import { type GlobNode, parseGlob } from "./parse-glob.ts";

/** Of a path relative to what the glob is about, one character a byte. */
export type GlobTest = (path: string) => boolean;

type State =
  | { readonly kind: "test"; readonly test: (byte: string) => boolean; next: number }
  | { readonly kind: "split"; readonly next: number[] }
  | { readonly kind: "end" };

/** `characters`: a question mark is one character of UTF-8, as people mean it; without, one byte, as ignore files have it. */
export interface GlobOptions {
  readonly characters: boolean;
}

/** The test, or what is wrong with the glob, as the end of a sentence that starts with it. */
export function compileGlob(glob: string, options: GlobOptions): GlobTest | string {
  const parsed = parseGlob(glob);
  return parsed.ok ? testOf(parsed.nodes, options) : parsed.problem;
}

function testOf(nodes: readonly GlobNode[], options: GlobOptions): GlobTest {
  if (nodes.every((node) => node.kind === "byte")) {
    const text = nodes.map((node) => node.byte).join("");
    return (path) => path === text;
  }
  const [first, ...rest] = nodes;
  if (first?.kind === "star" && rest.every((node) => node.kind === "byte")) {
    const end = rest.map((node) => node.byte).join("");
    return (path) => path.endsWith(end) && !path.slice(0, path.length - end.length).includes("/");
  }
  const literal = literalStart(nodes);
  const states: State[] = [{ kind: "end" }];
  const start = addSequence(states, nodes, 0, options);
  return (path) => path.startsWith(literal) && runs(states, start, path);
}

function literalStart(nodes: readonly GlobNode[]): string {
  let text = "";
  for (const node of nodes) {
    if (node.kind !== "byte") break;
    text += node.byte;
  }
  return text;
}

const isNoSlash = (byte: string): boolean => byte !== "/";
const isAny = (): boolean => true;
const isContinuation = (byte: string): boolean => byte >= "\x80" && byte <= "\xbf";

function add(states: State[], state: State): number {
  return states.push(state) - 1;
}

/** Any number of bytes that pass, then `next`. */
function addLoop(states: State[], test: (byte: string) => boolean, next: number): number {
  const again: State = { kind: "test", test, next: 0 };
  const body = add(states, again);
  again.next = add(states, { kind: "split", next: [body, next] });
  return again.next;
}

function addSequence(
  states: State[],
  nodes: readonly GlobNode[],
  next: number,
  options: GlobOptions,
): number {
  return nodes.reduceRight((after, node) => addNode(states, node, after, options), next);
}

function addNode(states: State[], node: GlobNode, next: number, options: GlobOptions): number {
  switch (node.kind) {
    case "byte":
      return add(states, { kind: "test", test: (byte) => byte === node.byte, next });
    case "any": {
      const rest = options.characters ? addLoop(states, isContinuation, next) : next;
      return add(states, { kind: "test", test: isNoSlash, next: rest });
    }
    case "class": {
      const inside = (byte: string): boolean =>
        node.ranges.some(([low, high]) => low <= byte && byte <= high) !== node.negated;
      return add(states, { kind: "test", test: (byte) => isNoSlash(byte) && inside(byte), next });
    }
    case "star":
      return addLoop(states, isNoSlash, next);
    case "either": {
      const starts = node.branches.map((branch) => addSequence(states, branch, next, options));
      return add(states, { kind: "split", next: starts });
    }
    case "any_directories": {
      const slash = add(states, { kind: "test", test: (byte) => byte === "/", next });
      return add(states, { kind: "split", next: [next, addLoop(states, isAny, slash)] });
    }
    case "between": {
      const slash = add(states, { kind: "test", test: (byte) => byte === "/", next });
      const deeper = addLoop(states, isAny, slash);
      const first = add(states, { kind: "test", test: (byte) => byte === "/", next: deeper });
      return add(states, { kind: "split", next: [slash, first] });
    }
    case "all_below":
      return add(states, { kind: "test", test: (byte) => byte === "/", next: addLoop(states, isAny, next) });
  }
}

function runs(states: readonly State[], start: number, path: string): boolean {
  const marks = new Int32Array(states.length).fill(-1);
  let now: number[] = [];
  const enter = (set: number[], from: number, step: number): void => {
    const waiting = [from];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (marks[index] === step) continue;
      marks[index] = step;
      const state = states[index];
      if (state?.kind === "split") waiting.push(...state.next);
      else set.push(index);
    }
  };
  enter(now, start, 0);
  for (let at = 0; at < path.length && now.length > 0; at += 1) {
    const byte = path.charAt(at);
    const then: number[] = [];
    for (const index of now) {
      const state = states[index];
      if (state?.kind === "test" && state.test(byte)) enter(then, state.next, at + 1);
    }
    now = then;
  }
  return now.includes(0);
}
