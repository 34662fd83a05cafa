/** The ambient powers as data: what each is, where it lives, and which modules, globals and members give it. What is not listed is refused. */

export interface Power {
  /** What the code would be able to do, for the message: "it ...". */
  readonly does: string;
  /** Packages (`host`), or files or folders inside one (`pod/spawn`: `src/spawn.ts` and `src/spawn/`). Empty: nowhere. */
  readonly places: readonly string[];
  /** What others do instead. */
  readonly instead: string;
}

const terminal = ["cli", "tui/terminal"];

export const powers = {
  clock: { does: "reads the clock", places: ["host"], instead: "take a Clock port" },
  timers: { does: "starts a timer", places: ["host"], instead: "take a Timers port" },
  randomness: { does: "draws randomness", places: ["host"], instead: "take a Random or Ids port" },
  fileRead: {
    does: "reads files",
    places: [
      "host",
      "scope/registry",
      "sandbox",
      "model",
      "session-store",
      "pod-store",
      "keep",
      "tickets",
      "manifest",
      "tools",
      "pod",
      "protocol/node",
      "cli",
    ],
    instead: "take the text, or a port that reads it",
  },
  fileWrite: {
    does: "writes files, or is not on the list of reads",
    // The last makes an empty file; the two before it open for reading, by a call that could do more.
    places: [
      "host",
      "tools/scoped-files",
      "sandbox/repositories/in-place",
      "sandbox/inherited",
      "sandbox/ticket-lock",
    ],
    instead: "take host's Files port",
  },
  sqlite: {
    does: "opens a database",
    // The second last locks an empty file: no other lock of Node dies with its process.
    places: ["pod-store/lease", "pod-store/sqlite-lease", "host/node/file-lock", "scope/registry"],
    instead: "take a Lease, the Locks or the registry",
  },
  processStart: {
    does: "starts a process",
    places: ["sandbox", "pod/spawn", "cli"],
    instead: "take a CommandRunner",
  },
  processKill: {
    does: "signals a process",
    places: ["host", "sandbox", "pod/spawn"],
    instead: "take an AbortSignal, or end it where it was started",
  },
  processIdentity: {
    does: "reads this process's identity",
    places: ["host", "sandbox", "cli"],
    instead: "take host's Processes port",
  },
  processTable: {
    does: "leads to the environment and the memory of processes",
    places: ["host", "scope/protection", "sandbox", "tools/scoped-files/descriptor", "cli"],
    instead: "take host's Processes port",
  },
  realMachine: {
    does: "is the machine itself and not a port of it",
    places: ["cli"],
    instead: "take the port that is needed",
  },
  socket: { does: "opens a socket", places: ["protocol/node"], instead: "use protocol/node" },
  network: { does: "reaches the network", places: ["model", "tools/web"], instead: "take what was fetched" },
  environment: {
    does: "reads or changes the process it runs in",
    places: terminal,
    instead: "take the value that is needed",
  },
  terminal: { does: "talks to the terminal", places: terminal, instead: "return a value, or take a sink" },
  machine: {
    does: "asks about the machine and its user",
    places: ["host", "sandbox", "cli"],
    instead: "take the value",
  },
  codeLoading: {
    does: "loads or makes code that this check cannot see",
    places: [],
    instead: "write a static import, or import() of a literal",
  },
  threads: {
    does: "starts a thread or shares memory",
    // It computes on what a page chose, and starts nothing.
    places: ["tools/web/page-thread"],
    instead: "stay on the main thread: processes are started from it only",
  },
  internals: { does: "reaches into the runtime", places: [], instead: "leave it out" },
  testing: {
    does: "is for tests",
    places: [],
    instead: "put it into test/",
  },
} as const satisfies Readonly<Record<string, Power>>;

export type PowerName = keyof typeof powers;
/** What a mention gives: a power, or nothing to speak of. */
export type Grant = PowerName | "none";

/** What an object gives: by member, or (as a value that goes somewhere else) as a whole. */
export interface Surface {
  readonly members: Readonly<Record<string, Grant>>;
  /** Members that are not listed. */
  readonly others: Grant;
  /** The object as a value: an alias, an argument, a computed member. */
  readonly whole: Grant;
  /** `f()`; without it, as `whole`. */
  readonly call?: Grant;
  /** `new X(argument)`; without arguments it counts as `whole`. */
  readonly construct?: Grant;
}

function all(grant: Grant): Surface {
  return { members: {}, others: grant, whole: grant };
}

function only(names: string, grant: Grant, others: Grant): Surface {
  return {
    members: Object.fromEntries(names.split(" ").map((name) => [name, grant])),
    others,
    whole: others,
  };
}

const processSurface: Surface = {
  members: {
    ...only("arch nextTick platform version versions release features", "none", "none").members,
    ...only("hrtime uptime", "clock", "none").members,
    ...only("kill abort", "processKill", "none").members,
    ...only("pid ppid getuid geteuid getgid getegid getgroups", "processIdentity", "none").members,
    ...only("stdin stdout stderr", "terminal", "none").members,
    ...only(
      "argv argv0 cpuUsage cwd emitWarning env execArgv execPath exit exitCode memoryUsage off on once removeListener resourceUsage title",
      "environment",
      "none",
    ).members,
    ...only("getBuiltinModule binding dlopen mainModule", "codeLoading", "none").members,
  },
  others: "internals",
  whole: "internals",
};

const fileSystem: Surface = {
  ...only(
    "access accessSync constants createReadStream existsSync fstat fstatSync glob globSync lstat lstatSync opendir opendirSync " +
      "read readdir readdirSync readFile readFileSync readlink readlinkSync readSync readv readvSync realpath realpathSync stat statfs statfsSync statSync watch",
    "fileRead",
    "fileWrite",
  ),
};

/** Modules of Node; `node:` is left off. */
export const modules: Readonly<Record<string, Surface>> = {
  assert: all("none"),
  "assert/strict": all("none"),
  async_hooks: all("none"),
  buffer: all("none"),
  child_process: all("processStart"),
  cluster: all("threads"),
  console: all("terminal"),
  crypto: only(
    "createHash createHmac hash getHashes timingSafeEqual createCipheriv createDecipheriv scrypt scryptSync pbkdf2 pbkdf2Sync hkdf hkdfSync",
    "none",
    "randomness",
  ),
  dgram: all("network"),
  dns: all("network"),
  "dns/promises": all("network"),
  events: all("none"),
  fs: fileSystem,
  "fs/promises": fileSystem,
  http: all("network"),
  http2: all("network"),
  https: all("network"),
  module: all("codeLoading"),
  net: all("socket"),
  os: only("constants EOL", "none", "machine"),
  path: all("none"),
  "path/posix": all("none"),
  perf_hooks: all("clock"),
  process: processSurface,
  querystring: all("none"),
  readline: all("terminal"),
  "readline/promises": all("terminal"),
  sqlite: all("sqlite"),
  stream: all("none"),
  "stream/consumers": all("none"),
  "stream/promises": all("none"),
  "stream/web": all("none"),
  string_decoder: all("none"),
  test: all("testing"),
  timers: all("timers"),
  "timers/promises": all("timers"),
  tls: all("network"),
  tty: all("terminal"),
  url: all("none"),
  util: {
    members: { debuglog: "environment", debug: "environment", parseArgs: "environment" },
    others: "none",
    whole: "none",
  },
  "util/types": all("none"),
  vm: all("codeLoading"),
  worker_threads: all("threads"),
  zlib: all("none"),
};

/** Packages of ours that hold powers, by what they export; the types of all of them are free. */
export const packageExports: Readonly<Record<string, Surface>> = {
  "@yoi/host": only("sweepTemporaries temporaryOf", "none", "realMachine"),
};

/** A path that gives a power to whoever may read files. */
export const powerfulPaths: readonly { readonly pattern: RegExp; readonly grant: PowerName }[] = [
  { pattern: /\/proc(?:\/|$)/, grant: "processTable" },
];

const pureGlobals =
  "AbortController AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Blob Boolean Buffer " +
  "DataView DOMException Error EvalError EventTarget FinalizationRegistry Float32Array Float64Array " +
  "Headers Infinity Int16Array Int32Array Int8Array Iterator JSON Map NaN Number Object Promise Proxy RangeError ReadableStream " +
  "ReferenceError RegExp Request Response Set String Symbol SyntaxError TextDecoder TextEncoder TransformStream TypeError URIError URL " +
  "URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WritableStream arguments atob btoa " +
  "clearImmediate clearInterval clearTimeout decodeURI decodeURIComponent encodeURI encodeURIComponent isFinite isNaN parseFloat " +
  "parseInt queueMicrotask structuredClone undefined DisposableStack AsyncDisposableStack SuppressedError";

/** Names that no file declares. `globalThis` and `global` are read through; a name that is not here is refused. */
export const globals: Readonly<Record<string, Surface>> = {
  ...Object.fromEntries(pureGlobals.split(" ").map((name) => [name, all("none")])),
  AbortSignal: { members: { timeout: "timers" }, others: "none", whole: "timers" },
  Atomics: all("threads"),
  BroadcastChannel: all("threads"),
  Date: { members: { now: "clock" }, others: "none", whole: "clock", construct: "none" },
  EventSource: all("network"),
  Function: all("codeLoading"),
  Intl: { members: { DateTimeFormat: "clock" }, others: "none", whole: "clock" },
  Math: { members: { random: "randomness" }, others: "none", whole: "randomness" },
  MessageChannel: all("threads"),
  SharedArrayBuffer: all("threads"),
  Temporal: all("clock"),
  Reflect: all("codeLoading"),
  WebAssembly: all("codeLoading"),
  WebSocket: all("network"),
  console: all("terminal"),
  crypto: all("randomness"),
  eval: all("codeLoading"),
  fetch: all("network"),
  module: all("codeLoading"),
  performance: all("clock"),
  process: processSurface,
  require: all("codeLoading"),
  setImmediate: all("timers"),
  setInterval: all("timers"),
  setTimeout: all("timers"),
};
