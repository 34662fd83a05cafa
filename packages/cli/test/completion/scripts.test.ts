/** Completion: what is read off a command tree, and that no text of the tree can break out of a script. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { Argument, Command, Option } from "commander";
import { bashScript } from "../../src/completion/bash.ts";
import { fishScript } from "../../src/completion/fish.ts";
import { shapesOf } from "../../src/completion/shape.ts";
import { zshScript } from "../../src/completion/zsh.ts";

function tree(): Command {
  const program = new Command("yoi").helpOption("-h, --help", "it's help");
  program
    .command("run")
    .description("it's $(touch /tmp/never) `now`\\")
    .argument("[prompt]")
    .option("--pod <name>", "a Pod")
    .option("-m, --model <provider/id>", "a model")
    .option("-C, --cd <dir>", "where")
    .addOption(new Option("--sandbox <state>").choices(["on", "off"]))
    .addOption(new Option("--secret").hideHelp());
  const pod = program.command("pod").description("Pods");
  pod.command("show").argument("<name>").option("-o, --output <file>").option("--wire [n]");
  program.command("attach").argument("<name>");
  program.command("completion").addArgument(new Argument("<shell>").choices(["bash"]));
  program.command("__complete", { hidden: true });
  return program;
}

test("a command tree becomes its shapes: what is hidden stays hidden", () => {
  const shapes = shapesOf(tree()).map(({ path, commands, flags, argument }) => [
    path,
    commands.map(({ name }) => name),
    flags.map(({ names, value }) => [names.join(" "), value]),
    argument,
  ]);
  const help = ["-h --help", null];
  const plainHelp = { kind: "choices", choices: ["run", "pod", "attach", "completion"] };
  assert.deepEqual(shapes, [
    ["", ["run", "pod", "attach", "completion", "help"], [help], null],
    [
      "run",
      [],
      [
        ["--pod", { kind: "pods" }],
        ["-m --model", { kind: "models" }],
        ["-C --cd", { kind: "directory" }],
        ["--sandbox", { kind: "choices", choices: ["on", "off"] }],
        help,
      ],
      { kind: "other" },
    ],
    ["pod", ["show", "help"], [help], null],
    [
      "pod show",
      [],
      [["-o --output", { kind: "file" }], ["--wire", { kind: "number" }], help],
      { kind: "pods" },
    ],
    ["pod help", [], [], { kind: "choices", choices: ["show"] }],
    ["attach", [], [help], { kind: "pods" }],
    ["completion", [], [help], { kind: "choices", choices: ["bash"] }],
    ["help", [], [], plainHelp],
  ]);
});

test("descriptions are data: quoted, never run", () => {
  const shapes = shapesOf(tree());
  assert.ok(zshScript(shapes).includes(`'run:it'\\''s $(touch /tmp/never) \`now\`\\'`));
  assert.ok(fishScript(shapes).includes(`-d 'it\\'s $(touch /tmp/never) \`now\`\\\\'`));
  const checked = spawnSync("bash", ["-n"], { input: bashScript(shapes), encoding: "utf8" });
  assert.deepEqual([checked.status, checked.stderr], [0, ""]);
});
