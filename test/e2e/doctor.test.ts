/** `yoi doctor`: several at once, after one that was killed, and from anywhere. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { noOwnBubblewrap, yoiWithBubblewrap } from "../support/own-bubblewrap.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi } from "../support/yoi-process.ts";

interface Check {
  readonly check: string;
  readonly verdict: string;
}

async function doctor(home: TempHome, cwd = home.workspace): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await runYoi(["doctor", "--json"], { cwd, env: home.env });
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly Check[] };
  return new Map(checks.map(({ check, verdict }) => [check, verdict]));
}

test("four at once, beside what a killed one left, do not meet each other and leave nothing", async () => {
  using home = tempHome();
  const left = join(home.home, "doctor");
  mkdirSync(left);
  writeFileSync(join(left, "probe"), "x");
  const all = await Promise.all(Array.from({ length: 4 }, () => doctor(home)));
  assert.deepEqual(
    all.map((checks) => checks.get("data")),
    Array(4).fill("good"),
  );
  assert.deepEqual(
    readdirSync(home.home).filter((name) => name.startsWith("doctor")),
    ["doctor"],
  );
});

test(
  "from the root of the machine the sandbox is as good as elsewhere, and a run there is not",
  {
    skip: noBubblewrap(),
  },
  async () => {
    using home = tempHome();
    const here = await doctor(home);
    const root = await doctor(home, "/");
    assert.equal(root.get("sandbox"), here.get("sandbox"));
    assert.deepEqual([here.get("configuration"), root.get("configuration")], ["good", "bad"]);
  },
);

/** What comes behind its `--`, which is what a sandbox would run. */
const runs = 'while [ "$1" != -- ]; do shift; done\nshift\nexec "$@"';
const says = (version: string) => `case "$1" in --version) echo "bubblewrap ${version}"; exit 0 ;; esac`;
const knowsNoUserNamespaces =
  'case "$*" in *--disable-userns*) echo "bwrap: Unknown option --disable-userns" >&2; exit 1 ;; esac';

for (const [what, lines, verdict, detail] of [
  ["of today", [says("0.9.1"), runs], "good", /^bubblewrap 0\.9\.1$/],
  ["before 0.8", [says("0.4.0"), knowsNoUserNamespaces, runs], "good", /^bubblewrap 0\.4\.0$/],
  [
    "of today that cannot start",
    [says("0.9.1"), knowsNoUserNamespaces, runs],
    "missing",
    /\(bwrap: Unknown option/,
  ],
  ["that begins nothing", ["exit 0"], "missing", /does not say its version/],
  ["that begins nothing and has a version", [says("0.9.1"), "exit 0"], "missing", /\(it said nothing\)/],
] as const) {
  test(`a bubblewrap ${what} is ${verdict}`, { skip: noOwnBubblewrap }, async () => {
    using home = tempHome();
    const command = yoiWithBubblewrap(home, lines.join("\n"));
    const { stdout } = await runYoi(["doctor", "--json"], { cwd: home.workspace, env: home.env, command });
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly (Check & { detail: string })[] };
    const found = checks.find(({ check }) => check === "sandbox");
    assert.equal(found?.verdict, verdict, found?.detail);
    assert.match(found.detail, detail);
  });
}
