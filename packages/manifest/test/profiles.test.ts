/** Profiles as layers: what one may hold, which layer wins, and that one narrows the scope only. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  checkConfig,
  type ConfigLayer,
  type ConfigSource,
  descriptionCharsMax,
  instructionBytesMax,
  isProfileName,
  type Manifest,
  narrowedBy,
  parseConfig,
  parseProfileSelector,
  profileBytesMax,
  profileNameCharsMax,
  resolveManifest,
} from "../src/index.ts";
import { defaultScope } from "./resolve-texts.ts";

const mine: ConfigSource = {
  path: "/c/profiles/mine.toml",
  trust: "user",
  home: "/home/me",
  profile: { selector: "user:mine", workspace: "/w" },
};
const theirs: ConfigSource = {
  path: "/w/.yoi/profiles/theirs.toml",
  trust: "project",
  profile: { selector: "project:theirs", workspace: "/w" },
};

function saidOf(text: string, source: ConfigSource = mine): readonly string[] {
  return checkConfig(text, source).problems.map(({ message }) => message.slice(source.path.length));
}

const deny = (target: string) => `[[scope.deny]]\ntarget = "${target}"\npermission = "read"\n`;
const allow = (target: string) => `[[scope.allow]]\ntarget = "${target}"\npermission = "read"\n`;

describe("F5, F7: what a profile may hold", () => {
  const narrows =
    "in a file that comes with a workspace, which can only narrow what you allow: put it into your own config.toml if you want it.";
  const relative =
    "must be relative to the workspace in a profile, which only narrows what may be touched there.";
  const table: readonly (readonly [string, string, readonly string[], ConfigSource?])[] = [
    ["nothing", "", []],
    [
      "all that a config file may and what only a profile has",
      'description = "d"\nextends = "builtin:reader"\nmodel.ref = "a/b/c"\nworker.instruction = "x"\nworker.max_turns = 3\n[sandbox]\nnetwork = true\n[features]\ntask = false\npods = true\n',
      [],
    ],
    ["a scope outside the workspace", allow("/etc"), [`:2: scope.allow[0].target ${relative}`]],
    ["a scope in the home directory", allow("~/x"), [`:2: scope.allow[0].target ${relative}`]],
    [
      "a way out of the workspace",
      allow("../x"),
      [
        ":2: scope.allow[0].target may not lie outside the workspace in a profile, which only narrows what may be touched there.",
      ],
    ],
    ["what is denied may lie anywhere", deny("/etc") + deny("~/x") + deny("src"), []],
    [
      "who a Pod is",
      '[pod]\nname = "x"\n',
      [
        ":1: pod may not stand in a profile, which is for any number of Pods: it is said when a Pod is started.",
      ],
    ],
    [
      "a socket",
      'socket = "/run/x"\n',
      [":1: socket may not stand in a profile: yoi alone says where a Pod is reached and by whom."],
    ],
    [
      "a provider",
      '[[providers]]\nname = "x"\n',
      [":1: providers may not stand in a profile: define it in your own config.toml."],
    ],
    [
      "a secret",
      '[model]\napi_key = "sk-x"\n',
      [
        ":2: model.api_key is not a key of a profile; an API key belongs into no file: keep it with `yoi secret set ID`, or in an environment variable.",
      ],
    ],
    [
      "an unknown key",
      "[worker]\nmax_turn = 3\n",
      [":2: worker.max_turn is not a key: did you mean worker.max_turns."],
    ],
    [
      "an unknown feature",
      "[features]\ntasks = true\n",
      [":2: features.tasks is not a key: did you mean features.task."],
    ],
    [
      "a path in the place of a name",
      'extends = "./other.toml"\n',
      [
        ':1: extends must be the name of a profile, as builtin:NAME, user:NAME, project:NAME or NAME alone, but is "./other.toml".',
      ],
    ],
    [
      "a model without provider",
      'model.ref = "b"\n',
      [':1: model.ref must be a model as "provider/id", but is "b".'],
    ],
    [
      "the workspace's: a feature on",
      "[features]\ntask = true\n",
      [`:2: features.task may not be true ${narrows}`],
      theirs,
    ],
    [
      "a role that there is not",
      '[tickets]\nrole = "user"\n',
      [':2: tickets.role must be one of "intake", "orchestrator", "coder" and "reviewer", but is "user".'],
    ],
    [
      "the workspace's: a role among tickets, even the least",
      '[tickets]\nrole = "reviewer"\n',
      [`:2: tickets.role may not be set ${narrows}`],
      theirs,
    ],
    [
      "the workspace's: tickets, and closing them",
      "[features]\ntickets = true\n[tickets]\nclose = true\n",
      [`:2: features.tickets may not be true ${narrows}`, `:4: tickets.close may not be true ${narrows}`],
      theirs,
    ],
    [
      "the workspace's: no tickets, and none closed",
      "[features]\ntickets = false\n[tickets]\nclose = false\n",
      [],
      theirs,
    ],
    ["the workspace's: no skills", "[skills]\nenabled = false\n", [], theirs],
    [
      "the workspace's: skills, which the user may have switched off",
      "[skills]\nenabled = true\n",
      [`:2: skills.enabled may not be true ${narrows}`],
      theirs,
    ],
    ["the workspace's: a feature off", "[features]\ntask = false\n", [], theirs],
    [
      "the workspace's: the network",
      "[sandbox]\nnetwork = true\n",
      [`:2: sandbox.network may not be true ${narrows}`],
      theirs,
    ],
    [
      "the workspace's: an allowed call",
      '[[permissions.rule]]\ntool = "Bash"\npattern = "*"\naction = "allow"\n',
      [`:4: permissions.rule[0].action may not be "allow" ${narrows}`],
      theirs,
    ],
  ];
  for (const [name, text, says, source] of table)
    test(name, () => assert.deepEqual(saidOf(text, source), says));

  test("what only a profile has is no key of a config file, and is said to be one of profiles", () => {
    const config: ConfigSource = { path: "/c/config.toml", trust: "user" };
    assert.deepEqual(saidOf('extends = "x"\nworker.instruction = "y"\n', config), [
      ":1: extends is a key of profiles only: write it into a profile and choose that with --profile.",
      ":2: worker.instruction is a key of profiles only: write it into a profile and choose that with --profile.",
    ]);
    assert.deepEqual(saidOf("[features]\npods = false\n", config), []);
  });

  test("limits hold to the byte", () => {
    const fits = (text: string) => saidOf(text).length === 0;
    const both = (make: (count: number) => string, max: number) => [fits(make(max)), fits(make(max + 1))];
    assert.deepEqual(
      [
        both((count) => `description = "${"d".repeat(count)}"`, descriptionCharsMax),
        both(
          (count) => `worker.instruction = "${"é".repeat(count / 2)}${"i".repeat(count % 2)}"`,
          instructionBytesMax,
        ),
        both((count) => "#".repeat(count), profileBytesMax),
        [isProfileName("n".repeat(profileNameCharsMax)), isProfileName("n".repeat(profileNameCharsMax + 1))],
      ],
      Array.from({ length: 4 }, () => [true, false]),
    );
  });
});

test("a selector is a name with or without its source, and nothing like a path", () => {
  const table: readonly (readonly [string, ReturnType<typeof parseProfileSelector>])[] = [
    ["review", { source: null, name: "review" }],
    ["user:a-b_1", { source: "user", name: "a-b_1" }],
    ["builtin:default", { source: "builtin", name: "default" }],
    ...[
      "",
      "user:",
      ":x",
      "x/y",
      "./x",
      "../x",
      "x.toml",
      "path:x",
      "user:a:b",
      "Review",
      "project:../x",
      "~x",
    ].map((text) => [text, null] as const),
  ];
  for (const [text, selector] of table) assert.deepEqual(parseProfileSelector(text), selector, text);
});

interface Layers {
  readonly user?: string;
  readonly project?: string;
  readonly local?: string;
  /** Strongest first. */
  readonly profiles: readonly (readonly [text: string, source: ConfigSource])[];
}

function resolve({ profiles, ...files }: Layers, flags = {}) {
  const of = (name: "user" | "project" | "local"): ConfigLayer | undefined => {
    const text = files[name];
    const path = name === "user" ? "/c/config.toml" : `/w/.yoi/${name}.toml`;
    return text === undefined
      ? undefined
      : parseConfig(text, { path, trust: name === "user" ? "user" : "project" });
  };
  return resolveManifest({
    layers: {
      user: of("user"),
      project: of("project"),
      local: of("local"),
      profiles: profiles.map(([text, source]) => parseConfig(text, source)),
    },
    profile: profiles[0]?.[1].profile?.selector,
    flags,
    workspace: "/w",
    defaultScope,
    defaultModel: "built/in",
  });
}

describe("which layer wins", () => {
  const table: readonly (readonly [string, Layers, (manifest: Manifest) => unknown, unknown])[] = [
    [
      "F4: a profile's model and language stand before the workspace's and the user's",
      {
        user: 'model.ref = "u/m"\nworker.language = "user"',
        local: 'model.ref = "l/m"\nworker.language = "local"',
        profiles: [['model.ref = "p/m"\nworker.language = "profile"', mine]],
      },
      ({ model, worker }) => [model.provider, worker.language],
      ["p", "profile"],
    ],
    [
      "F4: a base URL of a weaker layer goes with its provider",
      {
        user: 'model.ref = "u/m"\nmodel.base_url = "http://u.test"',
        profiles: [['model.ref = "p/m"', mine]],
      },
      ({ model }) => model,
      { provider: "p", id: "m" },
    ],
    [
      "the user's profile counts as the user's word: looser than the user's file it may be",
      {
        user: 'permissions.mode = "ask"\nworker.max_turns = 5',
        profiles: [
          ['permissions.mode = "allow-in-scope"\nworker.max_turns = 50\nsandbox.network = true', mine],
        ],
      },
      ({ permissions, limits, sandbox }) => [permissions.mode, limits.max_turns, sandbox.network],
      ["allow-in-scope", 50, true],
    ],
    [
      "what the workspace's files narrow stays narrow under it",
      {
        local:
          'permissions.mode = "ask"\nworker.max_turns = 5\nsandbox.network = false\n[features]\ntask = false',
        profiles: [
          [
            'permissions.mode = "allow-in-scope"\nworker.max_turns = 50\nsandbox.network = true\n[features]\ntask = true',
            mine,
          ],
        ],
      },
      ({ permissions, limits, sandbox, features }) => [
        permissions.mode,
        limits.max_turns,
        sandbox.network,
        features.task,
      ],
      ["ask", 5, false, { enabled: false, origin: "/w/.yoi/local.toml:5" }],
    ],
    [
      "the workspace's profile only narrows, also beside its files",
      {
        user: 'permissions.mode = "ask"\nworker.max_turns = 20',
        local: 'worker.max_turns = 5\npermissions.mode = "deny-unlisted"',
        profiles: [['permissions.mode = "allow-in-scope"\nworker.max_turns = 10', theirs]],
      },
      ({ permissions, limits }) => [permissions.mode, limits.max_turns],
      ["deny-unlisted", 5],
    ],
    [
      "what extends is stronger than what it extends; instructions add up, what is extended first",
      {
        profiles: [
          ['model.ref = "own/m"\nworker.instruction = "then this"', theirs],
          ['model.ref = "base/m"\nworker.instruction = "first this"\n[features]\npods = false', mine],
        ],
      },
      ({ model, worker, features, profile }) => [
        model.provider,
        worker.instructions,
        features.pods.enabled,
        profile?.selector,
      ],
      [
        "own",
        [
          { text: "first this", from: "the profile user:mine" },
          { text: "then this", from: "the profile project:theirs" },
        ],
        false,
        "project:theirs",
      ],
    ],
    [
      "rules of all are kept, each of its own file",
      {
        user: '[[permissions.rule]]\ntool = "Bash"\npattern = "a"\naction = "deny"',
        profiles: [['[[permissions.rule]]\ntool = "Bash"\npattern = "b"\naction = "allow"', mine]],
      },
      ({ permissions }) => permissions.rules.map(({ pattern, origin }) => [pattern, origin]),
      [
        ["b", mine.path],
        ["a", "/c/config.toml"],
      ],
    ],
    [
      "a profile narrows the scope, and leaves what lies outside the workspace",
      { profiles: [['[[scope.allow]]\ntarget = "src"\npermission = "write"\n' + deny("src/secret"), mine]] },
      ({ scope }) => scope,
      {
        allow: [
          { target: "/w/src", permission: "write", recursive: true },
          { target: "/usr", permission: "read", recursive: true },
        ],
        deny: [{ target: "/w/src/secret", permission: "read", recursive: true }],
      },
    ],
  ];
  for (const [name, layers, of, wanted] of table)
    test(name, () => assert.deepEqual(of(resolve(layers).manifest), wanted));

  test("F4: a flag is stronger than a profile", () => {
    const flags = { model: "f/m", maxTurns: 7, permissionMode: "allow-in-scope", sandbox: "off" } as const;
    const text = 'model.ref = "p/m"\nworker.max_turns = 1\npermissions.mode = "ask"\nsandbox.mode = "on"';
    const { model, limits, permissions, sandbox } = resolve({ profiles: [[text, mine]] }, flags).manifest;
    assert.deepEqual(
      [model.provider, limits.max_turns, permissions.mode, sandbox.mode],
      ["f", 7, "allow-in-scope", "off"],
    );
  });

  test("what a profile alone leaves of another scope", () => {
    const layers = [parseConfig(`${allow("src")}${deny("src/x")}`, mine)];
    assert.deepEqual(narrowedBy({ ...defaultScope, deny: [] }, layers, "/w"), {
      allow: [
        { target: "/w/src", permission: "read", recursive: true },
        { target: "/usr", permission: "read", recursive: true },
      ],
      deny: [{ target: "/w/src/x", permission: "read", recursive: true }],
    });
  });
});
