/** What features get of this machine: through the registry, with the real stores and handles, and nothing before it is asked for. */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { JsonObject } from "@yoi/base";
import {
  type FeatureDescriptor,
  type FeatureHandles,
  featureId,
  type FeatureInstallReport,
  type HostAuthority,
} from "@yoi/feature";
import { type Host, nodeHost, secureBytes } from "@yoi/host";
import { createSecretStore } from "@yoi/keep";
import { tryFeatures } from "@yoi/pod";
import { LiveScope, protectionOf, scopeRule } from "@yoi/scope";
import { openApprovalStore } from "../../src/compose/approvals.ts";
import { makeFeatureHost } from "../../src/compose/feature-host.ts";
import { inspect } from "../../src/compose/secrets.ts";
import type { Environment } from "../../src/environment.ts";
import { knownSecrets } from "../../src/known-secrets.ts";
import { plainManifest } from "./plain-manifest.ts";

interface Bench extends Disposable {
  readonly root: string;
  readonly dataDir: string;
  readonly host: Host;
  readonly environment: Environment;
  readonly scope: LiveScope;
  /** Tries a feature that asks for this; `use` runs in its install, with its handles. */
  install(asked: readonly HostAuthority[], use?: Use, called?: string): Promise<FeatureInstallReport>;
  /** The same, for what `use` gives, or throws. */
  use<T>(asked: readonly HostAuthority[], use: Use<T>, called?: string): Promise<T>;
  /** For the descriptor that asks for `asked`. */
  approve(asked: readonly HostAuthority[], granted: readonly JsonObject[]): Promise<void>;
}

type Use<T = unknown> = (handles: FeatureHandles) => Promise<T>;

const id = "project:probe";

function bench(allowPrivateAddresses = false): Bench {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-feature-host-")));
  const workspace = join(root, "ws");
  const dataDir = join(root, "data");
  mkdirSync(join(workspace, "src"), { recursive: true });
  writeFileSync(join(workspace, "src/a.txt"), "a");
  writeFileSync(join(workspace, "secret.txt"), "not granted");
  const host = nodeHost();
  const environment: Environment = {
    variables: {},
    directories: { config: join(root, "config"), data: dataDir, runtime: join(root, "run") },
    workingDirectory: () => workspace,
    home: null,
    stdin: "other",
    stdoutIsTerminal: false,
    stderr: { isTerminal: false, columns: 80 },
  };
  const manifest = plainManifest(workspace, allowPrivateAddresses);
  const scope = new LiveScope(manifest.scope);
  const protection = protectionOf({ workspace, home: null, own: [dataDir], spill: null });
  const featureHost = makeFeatureHost({
    manifest,
    scope,
    protection,
    environment,
    stores: { host, dataDir },
  });
  const install: Bench["install"] = async (asked, use = async () => undefined, called = id) => {
    const descriptor = descriptorOf(called, asked);
    const [report] = await tryFeatures({
      modules: [{ descriptor, install: async ({ handles }) => void (await use(handles)) }],
      existingTools: [],
      host: featureHost,
      clock: host.clock,
      timers: host.timers,
    });
    assert.ok(report !== undefined);
    return report;
  };
  return {
    root,
    dataDir,
    host,
    environment,
    scope,
    install,
    use: <T>(asked: readonly HostAuthority[], use: Use<T>, called?: string) =>
      new Promise<T>((resolve, reject) => {
        const tried = install(asked, (handles) => use(handles).then(resolve, reject), called);
        tried.then(() => reject(new Error("it was not run")), reject);
      }),
    approve: async (asked, granted) => {
      const { digest } = await install(asked);
      const approvals = openApprovalStore(environment, host);
      await approvals.approve({ feature: id, digest: digest ?? "", granted, subject: "probe" });
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

function descriptorOf(called: string, asked: readonly HostAuthority[]): FeatureDescriptor {
  return {
    id: featureId(called),
    runtime: called.startsWith("builtin:") ? "builtin" : "external_plugin",
    display_name: "Probe",
    version: "1.0.0",
    description: "For a test.",
    authorities: asked.map((authority) => ({ authority, required: false, reason: "For a test." })),
    tools: [],
    hooks: [],
    background_tasks: [],
    provides_services: [],
    requires_services: [],
    state: null,
  };
}

const all: readonly HostAuthority[] = [
  { kind: "filesystem", access: "read", path: "src" },
  { kind: "filesystem", access: "write", path: "out" },
  { kind: "network", hosts: ["127.0.0.1"] },
  { kind: "secret_ref", id: "probe/key" },
  { kind: "state_store", name: "main" },
];
const asJson = (authorities: readonly HostAuthority[]): readonly JsonObject[] =>
  authorities.map((authority) => ({ ...authority }));
const never = (): Promise<never> => Promise.reject(new Error("there is no such handle"));

function said({ diagnostics }: FeatureInstallReport): string {
  return diagnostics.map(({ message }) => message).join("\n");
}

test("A2-60, F-03: what nobody approved is not run and has no handle, and nothing is made to find out", async () => {
  using place = bench();
  const report = await place.install(all, async () => assert.fail("it was run"));
  assert.deepEqual([report.status, report.granted, report.denied.length], ["skipped", [], all.length]);
  assert.match(said(report), /Nobody has approved project:probe as it is now/);
  assert.equal(existsSync(place.dataDir), false);
});

test("A2-42, F-05: an approval counts for the digest that it was made for, and for no other", async () => {
  using place = bench();
  await place.approve(all, asJson(all));
  assert.deepEqual((await place.install(all)).granted, all);
  // It asks for one thing more: what was approved is another feature.
  const more = await place.install([...all, { kind: "secret_ref", id: "more/key" }]);
  assert.deepEqual([more.status, more.granted], ["skipped", []]);
  await openApprovalStore(place.environment, place.host).revoke(id);
  assert.deepEqual((await place.install(all)).granted, []);
});

test("F-03: an approval that is damaged, or grants what is no authority, gives nothing, and says so", async () => {
  using place = bench();
  const main = { kind: "state_store", name: "main" };
  const wrong: readonly JsonObject[] = [
    { kind: "everything" },
    { kind: "network" },
    { kind: "network", hosts: [] },
    { kind: "filesystem", access: "write", path: "../.." },
    { kind: "secret_ref", id: "probe/key", more: true },
  ];
  for (const grant of wrong) {
    await place.approve(all, [main, grant]);
    const report = await place.install(all);
    assert.deepEqual([report.status, report.granted], ["skipped", []], JSON.stringify(grant));
    assert.match(said(report), /cannot be read: granted\[1\] of the approval of project:probe/);
  }
  await place.approve(all, [main]);
  assert.deepEqual((await place.install(all)).granted, [main]);
  const file = join(place.dataDir, "keep/approvals/project%3aprobe.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"main"', '"name"'));
  const damaged = await place.install(all);
  assert.deepEqual([damaged.status, damaged.granted], ["skipped", []]);
  assert.match(said(damaged), /is damaged/);
});

test("A2-60: an approved feature gets what was approved, and each handle refuses the rest", async () => {
  using place = bench();
  await place.approve(all, asJson(all));
  assert.equal(await place.use(all, ({ files }) => files?.read("src/a.txt") ?? never()), "a");
  await place.use(all, ({ files }) => files?.write("out/b.txt", "b") ?? never());
  assert.equal(readFileSync(join(place.root, "ws/out/b.txt"), "utf8"), "b");
  const denials: readonly (readonly [string, Use, string])[] = [
    ["a file beside", ({ files }) => files?.read("secret.txt") ?? never(), "out_of_scope"],
    ["by dot dot", ({ files }) => files?.read("src/../secret.txt") ?? never(), "out_of_scope"],
    ["with a read grant", ({ files }) => files?.write("src/a.txt", "x") ?? never(), "out_of_scope"],
    ["yoi's own data", ({ files }) => files?.list(place.dataDir) ?? never(), "out_of_scope"],
    ["a private address", ({ fetch }) => fetch?.get("http://127.0.0.1:9/") ?? never(), "web_refused"],
    ["another host", ({ fetch }) => fetch?.get("http://example.org/") ?? never(), "web_refused"],
    ["a missing secret", (handles) => handles.secret("probe/key")?.read() ?? never(), "secret_unknown"],
  ];
  for (const [what, attempt, code] of denials) await assert.rejects(place.use(all, attempt), { code }, what);
  await place.use(all, async (handles) => {
    assert.equal(handles.secret("other/key"), null);
    assert.equal(handles.state("other"), null);
  });
});

test("A2-60: a secret is taken out of everything from the moment that a feature has it", async () => {
  using place = bench();
  const value = "probe-key-of-this-test-4711";
  const { files, clock } = place.host;
  const secrets = createSecretStore({
    files,
    clock,
    dataDir: place.dataDir,
    openKeychain: async () => ({ missing: "none here" }),
    inspect,
    secureBytes,
  });
  await secrets.set("probe/key", value);
  await place.approve(all, asJson(all));
  // Control: it is not known before.
  assert.equal(knownSecrets.redact(`is ${value}`), `is ${value}`);
  const read = await place.use(all, (handles) => handles.secret("probe/key")?.read() ?? never());
  assert.equal(read, value);
  assert.equal(knownSecrets.redact(`is ${value}`), "is [redacted: probe/key]");
});

test("F-25: the state of a feature outlives it, apart from that of others under the same name", async () => {
  using place = bench();
  const asked: readonly HostAuthority[] = [{ kind: "state_store", name: "main" }];
  const write: Use = (handles) =>
    handles.state("main")?.write({ n: 1 }, { version: 1, expected: null }) ?? never();
  const read: Use = (handles) => handles.state("main")?.read() ?? never();
  assert.equal(await place.use(asked, write, "builtin:probe"), 1);
  const stored = { version: 1, revision: 1, value: { n: 1 } };
  assert.deepEqual(await place.use(asked, read, "builtin:probe"), stored);
  assert.equal(await place.use(asked, read, "builtin:other"), null);
  await assert.rejects(place.use(asked, write, "builtin:probe"), { code: "state_conflict" });
});

test("the user's switch for private addresses is the one that the web tools have", async () => {
  using place = bench(true);
  const server = createServer((_, response) => response.setHeader("content-type", "text/plain").end("here"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const address = server.address();
    assert.ok(typeof address === "object" && address !== null);
    const url = `http://127.0.0.1:${address.port}/`;
    const asked: readonly HostAuthority[] = [{ kind: "network", hosts: ["127.0.0.1"] }];
    const { text } = await place.use(asked, ({ fetch }) => fetch?.get(url) ?? never(), "builtin:probe");
    assert.equal(text, "here");
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test("a lend waits for a feature's write that goes on, and is before the one that begins behind it", async () => {
  using place = bench();
  const asked: readonly HostAuthority[] = [{ kind: "filesystem", access: "write", path: "src" }];
  await place.approve(asked, asJson(asked));
  const { root, host, scope } = place;
  const path = join(root, "ws/src/new.txt");
  await place.use(asked, async ({ files }) => {
    const write = files?.write("src/new.txt", "x") ?? never();
    const loan = { id: "l", scope: { allow: [scopeRule(join(root, "ws/src"), "write")], deny: [] } };
    await scope.lend(loan, { timers: host.timers, signal: new AbortController().signal });
    assert.equal(existsSync(path), true);
    await write;
    await assert.rejects(files?.write("src/new.txt", "y") ?? never(), { code: "out_of_scope" });
  });
  assert.equal(readFileSync(path, "utf8"), "x");
});
