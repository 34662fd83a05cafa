/** How the terminal begins where it is not known yet whether a model can be asked. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import type { FirstRun } from "../../src/host.ts";
import type { UiOpen } from "../../src/app/open.ts";
import { press, rig } from "./support/rig.ts";

const toBegin: UiOpen = { kind: "new", name: null, choices: {}, prompt: null };
const looking = "yoi 0.0.0: looking for the model ...";

async function begun(typed = "") {
  const sim = memoryHost({ seed: 1 });
  const needed = Promise.withResolvers<string | null>();
  const firstRun: FirstRun = {
    needed: () => needed.promise,
    providers: async () => [],
    keepKey: async () => {},
    test: async () => "",
    keepModel: async () => "",
  };
  const ui = rig(sim, { pods: {}, open: toBegin, host: { firstRun } });
  await ui.shows(looking);
  ui.terminal.type(typed);
  await sim.advance(100);
  const rows = () =>
    ui
      .screen()
      .split("\n")
      .filter((row) => row.trim() !== "");
  const leave = async () => {
    await press(ui, "ctrl+c", "ctrl+c", "ctrl+d");
    await sim.advance(2_000);
    await ui.ended;
  };
  return { sim, ui, needed, rows, leave };
}

test("nothing but a line is on the screen, then the first run", async () => {
  const { ui, needed, rows, leave } = await begun();
  assert.deepEqual(rows(), [looking]);
  needed.resolve("There is no key.");
  await ui.shows("There is no key.");
  assert.doesNotMatch(ui.screen(), /looking/);
  await leave();
});

test("what is typed meanwhile is seen, and stays for the composer", async () => {
  const { ui, needed, leave } = await begun("hello");
  assert.match(ui.screen(), /^> hello/m);
  needed.resolve(null);
  await ui.shows("no Pod is open");
  assert.match(ui.screen(), /^> hello/m);
  await leave();
});

test("where it cannot be known, that is said, and the composer is there", async () => {
  const { ui, needed, rows, leave } = await begun();
  needed.reject(new Error("the settings cannot be read"));
  await ui.shows("the settings cannot be read");
  assert.doesNotMatch(ui.screen(), /looking/);
  assert.ok(
    rows().some((row) => row.startsWith("> ")),
    ui.screen(),
  );
  await leave();
});
