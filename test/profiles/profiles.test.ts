/** Profiles through the real program: listed, shown, started with, refused, and kept when their file is gone. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { type TempHome, tempHome } from "../support/temp-home.ts";
import { runYoi } from "../support/yoi-process.ts";

const scenario = "steps:\n  - text: Read.\n  - text: Done.\n";

function plant(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const ofUser = (home: TempHome, name: string): string =>
  join(home.home, "config", "profiles", `${name}.toml`);

test("a profile is listed, shown with where each value comes from, and what is wrong with another is said beside it", async () => {
  using home = tempHome();
  const yoi = (...args: string[]) => runYoi(args, { cwd: home.workspace, env: home.env });
  const mine = plant(
    ofUser(home, "review"),
    'description = "Reviews."\nextends = "reader"\n[worker]\nmax_turns = 3\n',
  );
  const bad = plant(join(home.workspace, ".yoi", "profiles", "wide.toml"), "[sandbox]\nnetwork = true\n");
  const listed = await yoi("profile", "list", "--json");
  const { profiles } = JSON.parse(listed.stdout) as {
    profiles: {
      selector: string;
      source: string;
      name: string;
      description: string;
      problem: string | null;
    }[];
  };
  assert.deepEqual(
    profiles.map(({ selector }) => selector),
    [
      "builtin:default",
      "builtin:reader",
      "builtin:solo",
      "builtin:intake",
      "builtin:orchestrator",
      "builtin:coder",
      "builtin:reviewer",
      "user:review",
      "project:wide",
    ],
  );
  assert.deepEqual(profiles[7], {
    selector: "user:review",
    source: "user",
    name: "review",
    description: "Reviews.",
    problem: null,
  });
  assert.match(profiles[8]?.problem ?? "", /wide\.toml:2: sandbox\.network may not be true in a file /);
  const shown = await yoi("config", "show", "--json", "--profile", "review");
  const { profile, values } = JSON.parse(shown.stdout) as {
    profile: string;
    values: { key: string; value: unknown; origin: string }[];
  };
  const of = (key: string) => values.find((entry) => entry.key === key);
  assert.deepEqual(
    [profile, of("worker.max_turns"), of("features.pods")],
    [
      "user:review",
      { key: "worker.max_turns", value: 3, origin: `${mine}:4` },
      { key: "features.pods", value: false, origin: "builtin:reader:8" },
    ],
  );
  const refused = await yoi("run", "x", "--profile", "wide", "--output-format", "json");
  assert.equal(refused.code, 3);
  assert.ok(refused.stdout.includes(bad), refused.stdout);
});

test("A2-73: a feature that a profile switches off leaves its tools out of a real run, and the log says who did it", async () => {
  using home = tempHome();
  plant(join(home.workspace, "s.yaml"), scenario);
  const yoi = (...args: string[]) => runYoi(args, { cwd: home.workspace, env: home.env });
  const file = plant(ofUser(home, "plain"), "[features]\ntask = false\n");
  const toolsOf = async (...flags: string[]): Promise<readonly string[]> => {
    const ran = await yoi("run", "go", "-m", "scripted/s.yaml", "--output-format", "stream-json", ...flags);
    // Behind alerts where there are some.
    const start = ran.stdout.split("\n").find((line) => line.includes('"tools":'));
    return (JSON.parse(start ?? "") as { tools: string[] }).tools;
  };
  const without = await toolsOf("--pod", "without", "--profile", "plain");
  const own = await toolsOf("--pod", "with");
  assert.deepEqual([without.includes("TaskCreate"), own.includes("TaskCreate")], [false, true]);
  const log = await yoi("pod", "log", "without", "--json");
  assert.ok(log.stdout.includes(`It is switched off by ${file}:2.`), log.stdout.slice(0, 4000));
});

test("A3-12: a Pod goes on with the profile that it began with, whatever became of its file", async () => {
  using home = tempHome();
  plant(join(home.workspace, "s.yaml"), scenario);
  const yoi = (...args: string[]) => runYoi(args, { cwd: home.workspace, env: home.env });
  const file = plant(
    ofUser(home, "mine"),
    '[model]\nref = "scripted/s.yaml"\n[worker]\ninstruction = "Say it in verse."\n',
  );
  const first = await yoi("run", "go", "--pod", "p", "--profile", "mine");
  assert.deepEqual([first.code, first.stdout], [0, "Read.\n"], first.stderr);
  const shown = await yoi("pod", "show", "p", "--json");
  assert.equal((JSON.parse(shown.stdout) as { profile: unknown }).profile, "user:mine");
  const log = await yoi("pod", "log", "p", "--json");
  assert.match(log.stdout.split("\n")[0] ?? "", /Say it in verse\./);
  rmSync(file);
  const last = await yoi("run", "go on", "--pod", "p", "--profile", "user:mine");
  assert.deepEqual([last.code, last.stdout], [0, "Done.\n"], last.stderr);
  const other = await yoi("run", "x", "--pod", "p", "--profile", "reader");
  assert.deepEqual(
    [other.code, other.stderr],
    [
      2,
      "yoi: The Pod p was started with the profile user:mine, which it keeps: leave out --profile, or name another Pod.\n",
    ],
  );
  // Control: a new Pod cannot have it any more.
  assert.equal((await yoi("run", "x", "--pod", "q", "--profile", "user:mine")).code, 3);
});

const spawning = (workspace: string) => `steps:
  - tool_calls:
      - name: SpawnPod
        arguments: { name: kid, profile: reader, instruction: Look at src only., task: Look., scope: [{ target: ${workspace}, permission: read }] }
      - name: SpawnPod
        arguments: { name: writer, profile: reader, task: Look., scope: [{ target: ${workspace}, permission: write }] }
      - name: SpawnPod
        arguments: { name: nobody, profile: raeder, task: Look., scope: [{ target: ${workspace}, permission: read }] }
  - text: Spawned.
  - text: Told.
  - text: Told.
`;

test("W-32: a child that a model starts with a profile has its choices within its parent's bounds; where that cannot be, nothing is lent", async () => {
  using home = tempHome();
  plant(join(home.workspace, "s.yaml"), spawning(home.workspace));
  plant(
    join(home.home, "config", "config.toml"),
    '[[permissions.rule]]\ntool = "Bash"\npattern = "rm *"\naction = "deny"\n',
  );
  const yoi = (...args: string[]) => runYoi(args, { cwd: home.workspace, env: home.env });
  const started = await yoi("pod", "start", "lead", "-m", "scripted/s.yaml", "--max-turns", "7");
  assert.equal(started.code, 0, started.stderr);
  try {
    assert.equal((await yoi("pod", "send", "lead", "go", "--wait")).code, 0);
    const log = await yoi("pod", "log", "lead");
    assert.match(log.stdout, /error: The profile builtin:reader lets no Pod write ".*", which would be lent/);
    assert.match(log.stdout, /error: There is no profile raeder: did you mean builtin:reader\?/);
    const listed = await yoi("pod", "list", "--json");
    const { pods } = JSON.parse(listed.stdout) as { pods: { name: string }[] };
    assert.deepEqual(pods.map(({ name }) => name).toSorted(), ["kid", "lead"]);
    const shown = await yoi("pod", "show", "kid", "--json");
    const { profile, features, manifest } = JSON.parse(shown.stdout) as {
      profile: string;
      features: { feature: string; status: string; reasons: string[] }[];
      manifest: {
        permissions: { above: { pod: string; mode: string; rules: { pattern: string }[] }[] };
        limits: { max_turns: number };
        worker: { instructions: { from: string }[] };
      };
    };
    assert.deepEqual(
      [
        profile,
        features.find(({ feature }) => feature === "builtin:pods")?.reasons,
        manifest.permissions.above.map(({ pod, rules }) => [pod, rules.map(({ pattern }) => pattern)]),
        manifest.limits.max_turns,
        manifest.worker.instructions.map(({ from }) => from),
      ],
      [
        "builtin:reader",
        ["It is switched off by builtin:reader:8."],
        [["lead", ["rm *"]]],
        7,
        ["the profile builtin:reader", "the Pod lead, which started you"],
      ],
    );
  } finally {
    assert.equal((await yoi("pod", "stop", "lead")).code, 0);
  }
});
