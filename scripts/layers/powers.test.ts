/** Planted uses of powers, straight and by every detour we know: each is found where it is forbidden and fine where it lives. */
import assert from "node:assert/strict";
import test, { describe } from "node:test";
import { printed } from "./fault.ts";
import { cleanTree, faultsOn, type Files, manifest, reportOn } from "./planted.ts";
import { powers, type Power, type PowerName } from "./powers.ts";

/** Power -> the statements that must be seen, one a line. */
const planted: Readonly<Record<PowerName, readonly string[]>> = {
  clock: [
    "export const x = Date.now();",
    "export const x = new Date();",
    "export const x = new Date;",
    "export const x = Date();",
    "export const x = new Date(...[]);",
    "const D = Date; export const x = D.now();",
    "export const x = Date['now']();",
    "export const x = Date?.now?.();",
    "export const x = (Date as unknown as { now(): number }).now();",
    "const { now } = Date; export const x = now;",
    "export const x = Reflect.construct(Date, []);",
    "export const x = Date.call(null);",
    "export class X extends Date {}",
    "export const x = performance.now();",
    "export const x = globalThis.performance;",
    "export const x = process.hrtime.bigint();",
    "export const x = new Intl.DateTimeFormat().format();",
    'import { performance as p } from "node:perf_hooks"; export const x = p;',
    "declare const Date: { now(): number }; export const x = Date.now();",
    "export const f = (Date: unknown) => Date; export const x = Date.now();",
    "{ const Date = { now: () => 1 }; Date.now(); } export const x = Date.now();",
  ],
  timers: [
    "setTimeout(() => {}, 1);",
    "export const x = globalThis.setTimeout;",
    "export const x = globalThis['setInterval'];",
    "const later = setImmediate; export const x = later;",
    "export const x = AbortSignal.timeout(5);",
    "const { timeout } = AbortSignal; export const x = timeout;",
    "const S = AbortSignal; export const x = S.timeout(1);",
    'import { setTimeout as sleep } from "node:timers/promises"; export const x = sleep;',
    'import * as timers from "timers"; export const x = timers;',
    'export const x = async () => (await import("node:timers")).setInterval;',
  ],
  randomness: [
    "export const x = Math.random();",
    "const { random: r } = Math; export const x = r;",
    "const M = Math; export const x = M;",
    "export const x = [Math];",
    "export const x = crypto.randomUUID();",
    "export const x = globalThis.crypto.getRandomValues;",
    'import { randomBytes } from "node:crypto"; export const x = randomBytes;',
    'import crypto from "node:crypto"; export const x = crypto.randomUUID();',
    'import * as c from "crypto"; export const x = c["randomInt"];',
    'import { webcrypto } from "node:crypto"; export const x = webcrypto;',
    'export const x = (f: "randomUUID") => import("node:crypto").then((c) => c[f]);',
  ],
  fileRead: ['import { readFileSync } from "node:fs"; export const x = readFileSync;'],
  fileWrite: [
    'import { writeFileSync } from "node:fs"; export const x = writeFileSync;',
    'import { openSync } from "fs"; export const x = openSync;',
    'import fs from "node:fs"; export const x = () => fs.rmSync("x");',
    'import * as fs from "node:fs"; export const x = fs;',
    'import { default as fs } from "node:fs"; const { unlinkSync } = fs; export const x = unlinkSync;',
    'import { promises } from "node:fs"; export const x = promises.writeFile;',
    'import fs from "node:fs"; const { promises: { rename } } = fs; export const x = rename;',
    'import { rename } from "node:fs/promises"; export const x = rename;',
    'export const x = async () => { const { mkdirSync } = await import("node:fs"); return mkdirSync; };',
    'import type { Stats } from "node:fs"; import { createWriteStream } from "node:fs"; export const x = (s: Stats) => [s, createWriteStream];',
  ],
  sqlite: ['import { DatabaseSync } from "node:sqlite"; export const x = DatabaseSync;'],
  processStart: [
    'import { spawn } from "node:child_process"; export const x = spawn;',
    'import "child_process";',
    'export * as x from "node:child_process";',
    'export const x = () => import("node:child_process");',
    'import cp = require("node:child_process"); export const x = cp;',
  ],
  processKill: [
    "process.kill(1, 0);",
    "const { kill } = process; export const x = kill;",
    "export const x = globalThis.process.kill;",
    'import { kill } from "node:process"; export const x = kill;',
    "process.abort();",
  ],
  processIdentity: ["export const x = process.pid;", "export const x = process.getuid?.();"],
  processTable: [
    'export const x = "/proc/self/environ";',
    "export const x = (pid: number) => `/proc/${pid}/environ`;",
    'export const x = "/proc";',
  ],
  realMachine: [
    'import { nodeHost } from "@yoi/host"; export const x = () => nodeHost();',
    'import { raise as end } from "@yoi/host"; export const x = () => end("SIGTERM");',
    'import { memoryHost } from "@yoi/host"; export const x = () => memoryHost({ seed: 1 });',
    'import * as host from "@yoi/host"; export const x = () => host.nodeHost();',
    'import * as host from "@yoi/host"; export const x = () => host;',
    'export const x = async () => (await import("@yoi/host")).nodeHost();',
    'export { nodeHost } from "@yoi/host";',
    'export * from "@yoi/host";',
  ],
  socket: ['import { connect } from "node:net"; export const x = connect;'],
  network: [
    'export const x = fetch("http://127.0.0.1");',
    "export const x = { fetch };",
    "export const x = globalThis.fetch;",
    "const { fetch: get } = globalThis; export const x = get;",
    "export const x = (get = fetch) => get;",
    "export const x = (u: string) => { switch (fetch(u)) { default: let fetch; return fetch; } };",
    "export const x = new WebSocket('ws://127.0.0.1');",
    'import { request } from "node:http"; export const x = request;',
    'import tls from "tls"; export const x = tls;',
    'import { lookup } from "node:dns/promises"; export const x = lookup;',
  ],
  environment: [
    'export const x = process.env["HOME"];',
    "export const x = process.argv;",
    "process.exit(1);",
    "const { env } = process; export const x = env;",
    "let env; ({ env } = process); export const x = env;",
    "export const f = ({ env } = process) => env;",
    "export const f = (p = process.env) => { var process; return [p, process]; };",
    "export const f = (p = process.env) => { { var process = 1; } return [p, process]; };",
    "const { process: { argv: [a] } } = globalThis; export const x = a;",
    "export const x = (process as { env: object }).env;",
    "export const x = process?.cwd();",
    "export const x = `${process.env}`;",
    'import { env } from "node:process"; export const x = env;',
    'import { parseArgs } from "node:util"; export const x = parseArgs;',
    'import p from "process"; export const x = p.exitCode;',
    "process.on('exit', () => {});",
  ],
  terminal: [
    "console.log(1);",
    "export const x = process.stdout;",
    'import { createInterface } from "node:readline"; export const x = createInterface;',
  ],
  machine: ['import { homedir } from "node:os"; export const x = homedir;'],
  codeLoading: [
    'export const x = Reflect.get(() => {}, "constructor")("return process")();',
    "export const x = (f: object, key: string) => Reflect.get(f, key);",
    'eval("1");',
    "(0, eval)('1');",
    'export const x = new Function("return 1");',
    "export const x = require('node:fs');",
    'import { createRequire } from "node:module"; export const x = createRequire;',
    'export const x = process.getBuiltinModule("node:fs");',
    'import { runInThisContext } from "node:vm"; export const x = runInThisContext;',
  ],
  threads: [
    'import { Worker } from "node:worker_threads"; export const x = Worker;',
    "export const x = new SharedArrayBuffer(1);",
    "export const x = Atomics.wait;",
  ],
  internals: [
    "const p = process; export const x = p;",
    "export const x = (name: string) => Reflect.get(process, name);",
    "export const x = process['e' + 'nv'];",
    "export const { env, ...rest } = process;",
    "export const x = process.umask();",
  ],
  testing: ['import test, { describe } from "node:test"; export const x = test;'],
};

const forbidden = "packages/worker/src/planted.ts";

/** The faults of each file as the rules broken on its first line, over one tree that holds all of them. */
function planting(files: Files): ReadonlyMap<string, readonly string[]> {
  const { faults } = reportOn(files);
  const rulesOn = (path: string): readonly string[] =>
    faults.filter((fault) => fault.path === path && fault.line === 1).map(({ rule }) => rule);
  return new Map(Object.keys(files).map((path) => [path, rulesOn(path)]));
}

const straight = Object.entries(planted)
  .flatMap(([power, statements]) => statements.map((statement) => ({ rule: `power/${power}`, statement })))
  .map((one, index) => ({ ...one, path: `packages/worker/src/planted-${index}.ts` }));

describe("each planted power is found", () => {
  const found = planting(Object.fromEntries(straight.map(({ path, statement }) => [path, statement])));
  for (const { path, rule, statement } of straight) {
    test(`found: ${statement}`, () => {
      assert.ok(found.get(path)?.includes(rule), `${rule} is not in ${found.get(path)?.join()}`);
    });
  }
});

/** Code that hides what it does is refused everywhere, whatever it does. */
const hidden: readonly (readonly [string, string])[] = [
  ["export const x = globalThis;", "power/global"],
  ["export const x = globalThis[`fe${'tch'}`];", "power/global"],
  ["const { ...all } = globalThis; export const x = all;", "power/global"],
  ["export const x = global.globalThis.unheardOf;", "power/global"],
  ["export const x = navigator;", "power/global"],
  ['export const x = (() => {}).constructor("return process")();', "source/opaque"],
  ['const { constructor: make } = () => {}; export const x = make("");', "source/opaque"],
  ['export const x = [][`constructor`]["constructor"];', "source/opaque"],
  ['export const x = Reflect.get(() => {}, "constructor");', "source/opaque"],
  ['export const x = Object.getOwnPropertyDescriptor(() => {}, "constructor");', "source/opaque"],
  ['export const x = (() => {})["con" + "struc" + "tor"];', "source/opaque"],
  ["export const x = (() => {})[`con${'structor'}`];", "source/opaque"],
  ['export const x = (() => {})[["construc", "tor"].join("")];', "source/opaque"],
  ['export const x = (() => {})["construc".concat("tor")];', "source/opaque"],
  ['const { ["cons" + "tructor"]: F } = () => {}; export const x = F;', "source/opaque"],
  ['const key: "length" = "length"; const { [key]: x } = () => {}; export { x };', "source/opaque"],
  ['import v8 from "node:v8"; export const x = v8;', "power/module"],
];

const everywhere = hidden.map(([statement, rule], index) => ({
  statement,
  rule,
  paths: ["worker", "host", "cli"].map((folder) => `packages/${folder}/src/hidden-${index}.ts`),
}));

describe("what hides what it does is found", () => {
  const found = planting(
    Object.fromEntries(everywhere.flatMap(({ paths, statement }) => paths.map((path) => [path, statement]))),
  );
  for (const { paths, rule, statement } of everywhere) {
    test(`found: ${statement}`, () => {
      for (const path of paths) assert.ok(found.get(path)?.includes(rule), path);
    });
  }
});

for (const [name, { places }] of Object.entries<Power>(powers)) {
  test(`${name} may be used in every place where it lives, and nowhere beside it`, () => {
    const [statement] = planted[name as PowerName];
    assert.ok(statement !== undefined);
    const files: Record<string, string> = {};
    const beside: string[] = [];
    for (const place of places) {
      const [folder = "", ...deeper] = place.split("/");
      const inside = deeper.length === 0 ? undefined : deeper.join("/");
      const manifestPath = `packages/${folder}/package.json`;
      files[manifestPath] = cleanTree[manifestPath] ?? manifest(folder, []);
      const source = `packages/${folder}/src`;
      files[`${source}/${inside ?? "planted"}.ts`] = statement;
      if (inside === undefined || places.includes(folder)) continue;
      files[`${source}/${inside}/deeper.ts`] = statement;
      beside.push(`${source}/${inside}-beside.ts`);
    }
    assert.ok(!beside.some((path) => path in files), "a place beside another would hide a fault");
    for (const path of beside) files[path] = statement;
    assert.deepEqual(
      reportOn(files).faults.map(({ path }) => path),
      beside.toSorted((a, b) => a.localeCompare(b)),
    );
  });
}

test("a power is not handed on as an export, not even where it lives", () => {
  const path = "packages/host/src/planted.ts";
  for (const statement of [
    'export { writeFileSync } from "node:fs";',
    'export * from "node:fs";',
    'import { writeFileSync } from "node:fs"; export { writeFileSync as write };',
    'import * as timers from "node:timers"; export default timers;',
  ]) {
    assert.equal(faultsOn({ [path]: statement }).length, 1, statement);
  }
});

test("no comment switches a rule off", () => {
  for (const comment of [
    "// oxlint-disable-next-line",
    "// @ts-ignore",
    "/* eslint-disable */",
    "// layers-ignore",
  ]) {
    assert.deepEqual(faultsOn({ [forbidden]: `${comment}\nsetTimeout(() => {}, 1);\n` }), [
      `${forbidden}:2 power/timers`,
    ]);
  }
});

const harmless = [
  "// Date.now(), setTimeout, process.env",
  "export const text = 'Date.now() ' + \"fetch\" + `process.env ${1} eval('')`;",
  "export const pattern = /process.env[/'`]/;",
  "export const half = (a: number, b: number) => a / b / 2;",
  "export const parsed = [new Date(0), Date.parse('2026'), Date.UTC(2026), Math.max(1)];",
  "export const isDate = (x: unknown) => x instanceof Date && typeof fetch === 'function' && typeof globalThis === 'object';",
  "export const joined = AbortSignal.any([AbortSignal.abort()]);",
  "export function alive(process: { pid: number }, fetch: () => void, { env }: { env: number }) { fetch(); return [process.pid, env]; }",
  "export interface Clock { now(): number; readonly process: typeof process; fetch: typeof fetch }",
  "export type Timer = ReturnType<typeof setTimeout>;",
  "export class Ports { fetch = 1; setTimeout() { return this.fetch; } static process = { env: 1 }; }",
  "export const ports = { fetch: 1, setTimeout: 2, process: { env: 3 } }; export const env = ports.process.env;",
  "export const byName = (x: Error) => x.constructor.name;",
  "export function* own() { for (const process of [1]) yield process; try { yield 1; } catch (fetch) { yield fetch; } }",
  "export const hoisted = () => { use(); function use() { return eval_; } var eval_ = 1; };",
  "export function all() { return arguments.length + (process.platform === 'linux' ? 1 : 0); }",
  'import { createHash, type Hash } from "node:crypto"; export const hash = (): Hash => createHash("sha256");',
  'import { join } from "node:path"; import { once } from "node:events"; import { inspect } from "node:util"; inspect(1); export const y = [join, once];',
  'import type { ChildProcess } from "node:child_process"; export type Child = ChildProcess;',
  'import { constants } from "node:os"; export const z = constants.signals.SIGINT;',
  "export const keyed = (of: Record<string, number>, phase: string, list: number[]) => [of[`${phase}Ms`], list[list.length - 1], of[phase + 'Ms']];",
  "export const scoped = () => { switch (1 as number) { default: { let fetch = 1; return fetch; } } };",
  "export function varied(a = 1) { if (a) { var process = { env: 2 }; } return process?.env; }",
  "export const program = ['/process', 'proc/x', '/procedure'];",
  "label: for (;;) { break label; }",
  "export { env as process };",
];

test("what only looks like a power is no fault", () => {
  assert.deepEqual(reportOn({ [forbidden]: harmless.join("\n") }).faults.map(printed), []);
});

test("lines are right below text of several bytes a letter", () => {
  assert.deepEqual(
    faultsOn({ [forbidden]: "export const 宵 = '宵🌆';\nexport const x = [宵, '🌆', Date.now()];\n" }),
    [`${forbidden}:2 power/clock`],
  );
});
