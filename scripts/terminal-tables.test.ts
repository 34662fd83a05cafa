/** docs/terminal.md says of keys, commands, settings and pictures what there is. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import test from "node:test";
import { defaultTerminalSettings, screenModes, themeChoices } from "@yoi/base";
import { commandSpecs } from "../packages/tui/src/commands/table.ts";
import { actions } from "../packages/tui/src/keys/actions.ts";
import { scenes } from "./screenshots/scenes.ts";
import { page, tables, withTables } from "./terminal-tables.ts";

const text = readFileSync(page, "utf8");

test("the tables of the page are those of the code: node scripts/terminal-tables.ts writes them", () => {
  assert.equal(withTables(text), text);
});

test("every action and every command stands in them once", () => {
  const { keys = "", commands = "" } = Object.fromEntries(tables());
  for (const action of actions) assert.equal(keys.split(`| \`${action}\` |\n`).length, 2, action);
  for (const { name } of commandSpecs)
    assert.equal(commands.match(new RegExp(`^\\| \`/${name}[ \`]`, "gm"))?.length, 1, name);
});

test("control: a page with another key is told from it", () => {
  assert.notEqual(withTables(text.replace("`Ctrl+R`", "`Ctrl+X`")), text.replace("`Ctrl+R`", "`Ctrl+X`"));
  assert.throws(() => withTables(text.replace("<!-- keys -->", "")), /has no <!-- keys -->/);
});

test("the settings of the page are those that there are", () => {
  const { screen, theme, bell } = defaultTerminalSettings;
  for (const setting of [`screen = "${screen}"`, `theme = "${theme}"`, `bell = ${bell}`])
    assert.ok(text.includes(setting), setting);
  for (const choice of [...screenModes, ...themeChoices]) assert.ok(text.includes(`"${choice}"`), choice);
});

test("each picture is there and is shown", () => {
  for (const { name } of scenes) {
    assert.ok(existsSync(new URL(`../docs/images/${name}.png`, import.meta.url)), name);
    assert.ok(text.includes(`](images/${name}.png)`), name);
  }
});
