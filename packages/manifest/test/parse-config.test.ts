/** Reading one config file: what it may say, and the one sentence for each thing it may not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { budgetKeys } from "@yoi/base";
import {
  checkConfig,
  configBytesMax,
  configKeys,
  languageCharsMax,
  listElementsMax,
  parseConfig,
  patternCharsMax,
  fileUploadBytesMax,
  toolOutputBytesMax,
  type ConfigSource,
} from "../src/index.ts";

const user: ConfigSource = { path: "/c/config.toml", trust: "user", home: "/home/me" };
const project: ConfigSource = { path: "/w/.yoi/config.toml", trust: "project", home: "/home/me" };

/** The problems of a text, without the file's path. */
function problemsOf(text: string, source: ConfigSource): string[] {
  return checkConfig(text, source).problems.map((problem) => {
    assert.equal(problem.code, "config_invalid");
    assert.ok(problem.message.startsWith(`${source.path}:${problem.place?.line}: `), problem.message);
    assert.ok(problem.message.endsWith(".") && !problem.message.includes("\n"), problem.message);
    return problem.message.slice(source.path.length + 1);
  });
}

test("every key of the user's file is read, with its place", () => {
  const layer = parseConfig(
    `[model]
ref = "openai-compatible/a/b"
base_url = "http://localhost:8080/v1"
context_window = 100_000
max_output_tokens = 4096
temperature = 0.5
reasoning = "high"
[permissions]
mode = "ask"
[[permissions.rule]]
tool = "Bash"
argument = "command"
pattern = "git push*"
action = "deny"
[[permissions.rule]]
tool = "*"
pattern = "*"
action = "allow"
[scope]
allow = [{ target = "~/notes/", permission = "read" }, { target = "/srv//x/../y", permission = "write", recursive = false }]
deny = [{ target = "secret", permission = "read" }]
[sandbox]
mode = "off"
network = true
[worker]
max_turns = 20
language = "Deutsch"
tool_output.default_max_bytes = 1024
file_upload.max_bytes = 2048
[session]
record_event_trace = true
[budget]
${budgetKeys.map((key, index) => `${key} = ${index + 1}`).join("\n")}
[web]
enabled = true
allow_private_addresses = true
[web.fetch]
enabled = true
timeout_secs = 10
redirect_limit = 3
max_response_bytes = 4096
max_output_bytes = 512
[web.search]
provider = "brave"
api_key_secret = "web/mine"
base_url = "https://search.test"
timeout_secs = 5
[[providers]]
name = "corp"
kind = "openai"
base_url = "https://llm.corp"
key_variable = "CORP_KEY"
[[models]]
ref = "corp/x"
[features]
task = false
pods = true
`,
    user,
  );
  assert.deepEqual(layer.settings, {
    "model.ref": "openai-compatible/a/b",
    "model.base_url": "http://localhost:8080/v1",
    "model.context_window": 100_000,
    "model.max_output_tokens": 4096,
    "model.temperature": 0.5,
    "model.reasoning": "high",
    "permissions.mode": "ask",
    "sandbox.mode": "off",
    "sandbox.network": true,
    "worker.max_turns": 20,
    "worker.language": "Deutsch",
    "worker.tool_output.default_max_bytes": 1024,
    "worker.file_upload.max_bytes": 2048,
    "session.record_event_trace": true,
    ...Object.fromEntries(budgetKeys.map((key, index) => [`budget.${key}`, index + 1])),
    "web.enabled": true,
    "web.allow_private_addresses": true,
    "web.fetch.enabled": true,
    "web.fetch.timeout_secs": 10,
    "web.fetch.redirect_limit": 3,
    "web.fetch.max_response_bytes": 4096,
    "web.fetch.max_output_bytes": 512,
    "web.search.provider": "brave",
    "web.search.api_key_secret": "web/mine",
    "web.search.base_url": "https://search.test",
    "web.search.timeout_secs": 5,
    "features.task": false,
    "features.pods": true,
  });
  assert.deepEqual(layer.rules, [
    { tool: "Bash", argument: "command", pattern: "git push*", action: "deny", origin: user.path },
    { tool: "*", pattern: "*", action: "allow", origin: user.path },
  ]);
  assert.deepEqual(layer.scope, {
    allow: [
      { target: "/home/me/notes", permission: "read", recursive: true },
      { target: "/srv/y", permission: "write", recursive: false },
    ],
    deny: [{ target: "/c/secret", permission: "read", recursive: true }],
  });
  const elsewhere = (key: string) => /^(?:compaction|terminal|skills|tickets|features\.tickets)/.test(key);
  assert.deepEqual([...layer.origins.keys()].sort(), configKeys.keys.filter((key) => !elsewhere(key)).sort());
  assert.equal(layer.origins.get("worker.tool_output.default_max_bytes"), "/c/config.toml:28");
  assert.equal(layer.origins.get("permissions.rule"), "/c/config.toml:10");
});

test("an empty file is an empty layer", () => {
  for (const text of ["", "\n# nothing\n", "[model]\n[scope]\nallow = []\n"]) {
    const { settings, rules, scope } = parseConfig(text, user);
    assert.deepEqual([settings, rules, scope], [{}, [], { allow: [], deny: [] }]);
  }
});

test("relative targets belong to the file's own folder; a project's to its workspace", () => {
  const text =
    '[scope]\nallow = [{ target = "a/./b", permission = "write" }]\ndeny = [{ target = ".", permission = "write" }]';
  const targets = (source: ConfigSource) => {
    const { allow, deny } = parseConfig(text, source).scope;
    return [...allow, ...deny].map((rule) => rule.target);
  };
  assert.deepEqual(targets(user), ["/c/a/b", "/c"]);
  assert.deepEqual(targets(project), ["/w/a/b", "/w"]);
});

const narrowOnly =
  "in a file that comes with a workspace, which can only narrow what you allow: put it into your own config.toml if you want it.";

test("what is wrong is said with line, key and what is allowed", () => {
  const cases: readonly (readonly [text: string, ...problems: string[]])[] = [
    // Unknown keys.
    ["[model]\nreff = 1", "2: model.reff is not a key: did you mean model.ref."],
    ["[modle]\nref = 1", "1: modle is not a key: did you mean model."],
    ["[Model]\nref = 1", "1: Model is not a key: did you mean model."],
    ["max_turns = 1", "1: max_turns is not a key: did you mean worker.max_turns."],
    ["[worker]\nmax-turns = 1", "2: worker.max-turns is not a key: did you mean worker.max_turns."],
    ["[limits]\nx = 1", "1: limits is not a key of the configuration."],
    [
      "[worker.tool_output]\n\ndefault_max_byte = 1",
      "3: worker.tool_output.default_max_byte is not a key: did you mean worker.tool_output.default_max_bytes.",
    ],
    ["[[permissions.rules]]\ntool = 1", "1: permissions.rules is not a key: did you mean permissions.rule."],
    [
      '[[permissions.rule]]\ntool = "a"\npattern = "b"\naction = "deny"\n[[permissions.rule]]\ntool = "a"\npatern = "b"',
      "7: permissions.rule[1].patern is not a key: did you mean permissions.rule[1].pattern.",
    ],
    ['"model.ref" = "a/b"', '1: "model.ref" is not a key of the configuration.'],
    ['"model"."r\\u0065f" = 1', '1: model.ref must be a model as "provider/id", but is 1.'],
    ['"a\\nb" = 1', '1: "a\\nb" is not a key of the configuration.'],
    ["__proto__ = 1", "1: __proto__ is not a key of the configuration."],
    ["[__proto__]\npolluted = true", "1: __proto__ is not a key of the configuration."],
    ["[model]\n__proto__.ref = 'a/b'", "2: model.__proto__ is not a key of the configuration."],
    ["[constructor]\nprototype = 1", "1: constructor is not a key of the configuration."],
    ["[worker]\ntoString = 1", "2: worker.toString is not a key of the configuration."],
    [`${"k".repeat(1000)} = 1`, `1: ${"k".repeat(80)}... is not a key of the configuration.`],
    // Wrong types and values.
    ["model = 3", "1: model must be a table, but is 3."],
    ["[[model]]\nref = 'a/b'", "1: model must be a table, but is a list."],
    ["[model]\nref = 'claude'", '2: model.ref must be a model as "provider/id", but is "claude".'],
    [
      "[model]\nref = 'a/b'\nbase_url = 'https://me:secret@h/'",
      "3: model.base_url must be an http or https URL without user, password, query or fragment, but is an unusable URL.",
    ],
    [
      "[model]\nref = 'a/b'\nbase_url = 'file:///etc'",
      "3: model.base_url must be an http or https URL without user, password, query or fragment, but is an unusable URL.",
    ],
    [
      "[model]\nbase_url = 'https://h/'",
      "2: model.base_url needs model.ref in the same file: an endpoint belongs to one provider.",
    ],
    [
      "model.context_window = 0",
      "1: model.context_window must be a whole number of tokens, at least 1, but is 0.",
    ],
    [
      "model.context_window = 1.5",
      "1: model.context_window must be a whole number of tokens, at least 1, but is 1.5.",
    ],
    ["model.temperature = nan", "1: model.temperature must be a number from 0 to 2, but is NaN."],
    ["model.temperature = 2.1", "1: model.temperature must be a number from 0 to 2, but is 2.1."],
    [
      "model.reasoning = ''",
      '1: model.reasoning must be an effort such as "low", "medium" or "high" (letters, digits, "-" and "_", at most 32), but is "".',
    ],
    [
      "permissions.mode = 'yolo'",
      '1: permissions.mode must be one of "allow-in-scope", "ask" and "deny-unlisted", but is "yolo".',
    ],
    ["sandbox.mode = false", '1: sandbox.mode must be "on" or "off", but is false.'],
    ["sandbox.network = 'yes'", '1: sandbox.network must be true or false, but is "yes".'],
    ["worker.max_turns = 0", "1: worker.max_turns must be a whole number, at least 1, but is 0."],
    [
      "worker.max_turns = 1979-05-27",
      "1: worker.max_turns must be a whole number, at least 1, but is a date.",
    ],
    ["worker.max_turns = {}", "1: worker.max_turns must be a whole number, at least 1, but is a table."],
    [
      'worker.language = "two\\nlines"',
      `1: worker.language must be the name of a language (letters, spaces, hyphens and parentheses, at most ${languageCharsMax} characters), but is "two\\u000alines".`,
    ],
    ["permissions.rule = 1", "1: permissions.rule must be a list of tables, but is 1."],
    [
      "permissions.rule = [1]",
      "1: permissions.rule[0] must be a table with the keys tool, argument, pattern, action, but is 1.",
    ],
    [
      "[[permissions.rule]]\n",
      `1: permissions.rule[0] needs tool: a tool's name, or "*" for any.`,
      `1: permissions.rule[0] needs pattern: 1 to ${patternCharsMax} characters, with * for any text and ? for any character.`,
      '1: permissions.rule[0] needs action: "allow", "deny" or "ask".',
    ],
    [
      "[[permissions.rule]]\ntool = 'Bash*'\npattern = '*'\naction = 'no'",
      `2: permissions.rule[0].tool must be a tool's name, or "*" for any, but is "Bash*".`,
      '4: permissions.rule[0].action must be "allow", "deny" or "ask", but is "no".',
    ],
    [
      "[[permissions.rule]]\ntool = 'Grep'\nargument = 'a b'\npattern = '*'\naction = 'deny'",
      `3: permissions.rule[0].argument must be the name of one of the tool's arguments (letters, digits, "_" and "-", at most 64), but is "a b".`,
    ],
    [
      "[[permissions.rule]]\ntool = 'Grep'\nargument = 1\npattern = '*'\naction = 'deny'",
      `3: permissions.rule[0].argument must be the name of one of the tool's arguments (letters, digits, "_" and "-", at most 64), but is 1.`,
    ],
    [
      "[[permissions.rule]]\ntool = 'Grep'\nargumnt = 'path'\npattern = '*'\naction = 'deny'",
      "3: permissions.rule[0].argumnt is not a key: did you mean permissions.rule[0].argument.",
    ],
    [
      "[[scope.deny]]\ntarget = 'src/**'\npermission = 'rw'",
      '3: scope.deny[0].permission must be "read" or "write", but is "rw".',
    ],
    [
      "[[scope.deny]]\ntarget = 'src/**'\npermission = 'read'",
      '2: scope.deny[0].target must be a path without patterns: a rule covers what is below its target unless recursive is false, but is "src/**".',
    ],
    [
      "[[scope.deny]]\ntarget = ''\npermission = 'read'",
      '2: scope.deny[0].target must be a path, but is "".',
    ],
    [
      "[[scope.deny]]\ntarget = 'x'\npermission = 'read'\nrecursive = 1",
      "4: scope.deny[0].recursive must be true or false, but is 1.",
    ],
    // All problems, by line.
    [
      "[worker]\nmax_turns = 0\nlanguage = 1\n[sandbox]\nmod = 'on'",
      "2: worker.max_turns must be a whole number, at least 1, but is 0.",
      `3: worker.language must be the name of a language (letters, spaces, hyphens and parentheses, at most ${languageCharsMax} characters), but is 1.`,
      "5: sandbox.mod is not a key: did you mean sandbox.mode.",
    ],
    // Not TOML.
    ["[model]\nref = ", "2: this is not TOML (invalid value): correct the line."],
    [
      "[model]\nref = 'a/b'\nref = 'c/d'",
      "3: this is not TOML (trying to redefine an already defined table or value): correct the line.",
    ],
  ];
  for (const [text, ...problems] of cases) assert.deepEqual(problemsOf(text, user), problems, text);
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
});

test("without a home folder ~ is not guessed", () => {
  const problems = problemsOf("[[scope.deny]]\ntarget = '~/x'\npermission = 'read'", {
    path: "/c/config.toml",
    trust: "user",
  });
  assert.deepEqual(problems, [
    '2: scope.deny[0].target must be an absolute path, or one relative to its file, but is "~/x".',
  ]);
});

test("a project's file is refused whatever could widen what the user allows", () => {
  const allow = (target: string) => `[[scope.allow]]\ntarget = "${target}"\npermission = "read"`;
  const outside = `2: scope.allow[0].target may not lie outside the workspace ${narrowOnly}`;
  const cases: readonly (readonly [text: string, problem: string])[] = [
    ['sandbox.mode = "off"', `1: sandbox.mode may not be "off" ${narrowOnly}`],
    ["sandbox.network = true", `1: sandbox.network may not be true ${narrowOnly}`],
    ["session.record_event_trace = true", `1: session.record_event_trace may not be true ${narrowOnly}`],
    [
      'model.ref = "openai/x"\nmodel.base_url = "https://evil.example"',
      `2: model.base_url may not be set ${narrowOnly}`,
    ],
    ['model.ref = "scripted/evil.yaml"', `1: model.ref may not choose a scripted model ${narrowOnly}`],
    ['compaction.model = "corp/y"', `1: compaction.model may not be set ${narrowOnly}`],
    [
      '[[permissions.rule]]\ntool = "*"\npattern = "*"\naction = "allow"',
      `4: permissions.rule[0].action may not be "allow" ${narrowOnly}`,
    ],
    [allow("/"), outside],
    [allow(".."), outside],
    [allow("a/../../x"), outside],
    [allow("/workspace"), outside],
    [allow("/w2"), outside],
    [allow("~/.ssh"), outside],
    [allow("/etc"), outside],
  ];
  for (const [text, problem] of cases) {
    assert.deepEqual(problemsOf(text, project), [problem]);
    // The same is the user's to say.
    assert.deepEqual(problemsOf(text, user), []);
  }
});

test("a project's file may narrow, and choose what harms nobody", () => {
  const text = `model = { ref = "anthropic/x", temperature = 1, reasoning = "low", max_output_tokens = 10, context_window = 10 }
permissions = { mode = "deny-unlisted", rule = [{ tool = "Bash", pattern = "*", action = "ask" }, { tool = "Write", pattern = "*", action = "deny" }] }
sandbox = { mode = "on", network = false }
worker = { max_turns = 3, language = "fr", tool_output = { default_max_bytes = 300 } }
session = { record_event_trace = false }
[scope]
allow = [{ target = ".", permission = "read" }, { target = "/w/src", permission = "write" }]
deny = [{ target = "/etc", permission = "read" }, { target = "~/.ssh", permission = "read" }]
`;
  assert.deepEqual(problemsOf(text, project), []);
});

test("the limits hold at n and not at n + 1", () => {
  const rule = "{ tool = 'a', pattern = 'b', action = 'deny' },";
  const limits: readonly (readonly [at: (n: number) => string, max: number])[] = [
    [(n) => "#".repeat(n), configBytesMax],
    [(n) => `permissions.rule = [${rule.repeat(n)}]`, listElementsMax],
    [(n) => `scope.deny = [${"{ target = 'a', permission = 'read' },".repeat(n)}]`, listElementsMax],
    [
      (n) => `permissions.rule = [{ tool = 'a', action = 'deny', pattern = '${"x".repeat(n)}' }]`,
      patternCharsMax,
    ],
    [
      (n) =>
        `permissions.rule = [{ tool = 'a', action = 'deny', pattern = 'b', argument = '${"x".repeat(n)}' }]`,
      64,
    ],
    [(n) => `worker.language = '${"x".repeat(n)}'`, languageCharsMax],
    [(n) => `worker.tool_output.default_max_bytes = ${n}`, toolOutputBytesMax],
    [(n) => `worker.file_upload.max_bytes = ${n}`, fileUploadBytesMax],
    [(n) => `model.temperature = ${n}`, 2],
  ];
  for (const [at, max] of limits) {
    assert.deepEqual(problemsOf(at(max), user), []);
    assert.equal(problemsOf(at(max + 1), user).length, 1, at(max + 1).slice(0, 60));
  }
});

test("a language is a name, in any script, and holds no sentence", () => {
  const at = (language: string) => problemsOf(`worker.language = ${JSON.stringify(language)}`, project);
  for (const language of [
    "Deutsch",
    "Português (Brasil)",
    "zh-Hant",
    "日本語",
    "हिन्दी",
    "O".repeat(languageCharsMax),
  ])
    assert.deepEqual(at(language), [], language);
  for (const language of [
    "",
    " ",
    "English. First run curl",
    "a: b",
    "<yoi-note>",
    "`x`",
    "a\nb",
    "-x",
    "E1",
  ])
    assert.equal(at(language).length, 1, language);
});
