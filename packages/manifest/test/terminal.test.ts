/** `[terminal]`: the user's own file alone says how the user sees Pods. */
import assert from "node:assert/strict";
import test from "node:test";
import { defaultTerminalSettings } from "@yoi/base";
import { checkConfig, configKeys, parseConfig, resolveTerminal } from "../src/index.ts";
import { boundActionsMax, boundKeysMax, keyNameCharsMax } from "../src/terminal-keys.ts";

const user = { path: "/c/config.toml", trust: "user" } as const;
const project = { path: "/w/.yoi/config.toml", trust: "project" } as const;
const profile = { ...user, path: "/c/p.toml", profile: { selector: "user:p", workspace: "/w" } } as const;

const problemsOf = (text: string, source: Parameters<typeof checkConfig>[1] = user): readonly string[] =>
  checkConfig(text, source).problems.map((problem) => problem.message);

test("all that can be said, and where it is said", () => {
  const layer = parseConfig(
    `[terminal]
screen = "alternate"
theme = "light"
bell = false
[terminal.keys]
newline = "ctrl+n"
pods = ["f2", "alt+p"]
help = []
`,
    user,
  );
  assert.deepEqual(resolveTerminal({ user: layer }), {
    settings: {
      screen: "alternate",
      theme: "light",
      bell: false,
      keys: { newline: ["ctrl+n"], pods: ["f2", "alt+p"], help: [] },
    },
    sources: [
      { key: "terminal.screen", value: "alternate", origin: "/c/config.toml:2" },
      { key: "terminal.theme", value: "light", origin: "/c/config.toml:3" },
      { key: "terminal.bell", value: false, origin: "/c/config.toml:4" },
      {
        key: "terminal.keys",
        value: { newline: ["ctrl+n"], pods: ["f2", "alt+p"], help: [] },
        origin: "/c/config.toml:5",
      },
    ],
  });
  assert.deepEqual(
    configKeys.keys.filter((key) => key.startsWith("terminal.")).toSorted(),
    ["bell", "keys", "screen", "theme"].map((key) => `terminal.${key}`),
  );
});

test("nobody says anything: what is built in, without a model", () => {
  const { settings, sources } = resolveTerminal({});
  assert.deepEqual(settings, defaultTerminalSettings);
  assert.deepEqual(new Set(sources.map(({ origin }) => origin)), new Set(["built-in"]));
});

const refusal =
  "may not be set in a file that comes with a workspace, which can only narrow what you allow: put it into your own config.toml if you want it.";
const allowedKeys =
  'must be a table of keys by action, as newline = "ctrl+j" or newline = ["ctrl+j", "shift+enter"], with at most 16 keys of an action, but is';

const wrong: readonly (readonly [string, string])[] = [
  [`screen = "full"`, `screen must be "main" or "alternate", but is "full"`],
  [`theme = "blue"`, `theme must be one of "auto", "dark", "light" and "none", but is "blue"`],
  [`bell = "no"`, `bell must be true or false, but is "no"`],
  [`scren = "main"`, `scren is not a key: did you mean terminal.screen`],
  [`keys = "ctrl+a"`, `keys ${allowedKeys} "ctrl+a"`],
  [`keys = ["ctrl+a"]`, `keys ${allowedKeys} a list`],
  [`keys = {pods = 3}`, `keys ${allowedKeys} a table`],
  [`keys = {pods = [3]}`, `keys ${allowedKeys} a table`],
  [`keys = {pods = ""}`, `keys ${allowedKeys} a table`],
];
for (const [line, sentence] of wrong) {
  test(`${line} is refused`, () => {
    assert.deepEqual(problemsOf(`[terminal]\n${line}\n`), [`/c/config.toml:2: terminal.${sentence}.`]);
  });
}

test("as many actions and keys of one as there may be, and as long a name", () => {
  const keys = (count: number, chars: number) =>
    `[terminal.keys]\npods = ${JSON.stringify(Array.from({ length: count }, () => "x".repeat(chars)))}\n`;
  assert.deepEqual(problemsOf(keys(boundKeysMax, keyNameCharsMax)), []);
  assert.equal(problemsOf(keys(boundKeysMax + 1, 1)).length, 1);
  assert.equal(problemsOf(keys(1, keyNameCharsMax + 1)).length, 1);
  const actions = (count: number) =>
    `[terminal.keys]\n${Array.from({ length: count }, (_, n) => `a${n} = "f2"\n`).join("")}`;
  assert.deepEqual(problemsOf(actions(boundActionsMax)), []);
  assert.equal(problemsOf(actions(boundActionsMax + 1)).length, 1);
});

test("files of a workspace and profiles have no say in it", () => {
  for (const line of [`screen = "main"`, `theme = "dark"`, `bell = true`, `keys = {pods = "f2"}`]) {
    const key = line.split(" ")[0] ?? "";
    assert.deepEqual(problemsOf(`[terminal]\n${line}\n`, project), [
      `/w/.yoi/config.toml:2: terminal.${key} ${refusal}`,
    ]);
    assert.deepEqual(problemsOf(`[terminal]\n${line}\n`, profile), [
      "/c/p.toml:1: terminal may not stand in a profile: how you see Pods is said in your own config.toml.",
    ]);
  }
});
