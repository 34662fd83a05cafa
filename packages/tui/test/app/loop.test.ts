/** The whole loop over a terminal in memory and real Pods: what is typed comes to the Pod, and what the Pod does is seen. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { podName } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { lookOf } from "../../src/app/look.ts";
import { blockLines } from "../../src/view/block/block-lines.ts";
import { press, rig, servedPod, toOpen } from "./support/rig.ts";

const asksFor = (...whats: readonly string[]) => ({
  steps: [
    { text: "I do it.", tool_calls: whats.map((what) => ({ name: "Effect", arguments: { what } })) },
    { text: "It is **done**." },
    { text: "And more." },
  ],
});

describe("the terminal over a real Pod", () => {
  test("sends what is typed, shows the answer, and leaves the Pod as it is", async () => {
    const host = memoryHost({ seed: 1 });
    await using pod = await servedPod(host, { steps: [{ text: "Hello **you**." }] });
    const ui = rig(host, { pods: { sim: pod }, open: toOpen("sim") });
    await ui.shows("ready");
    ui.terminal.type("hi there");
    assert.match(ui.screen(), /> hi there/);
    await press(ui, "enter");
    await ui.shows("Hello you.");
    assert.match(ui.screen(), /> hi there\n\n {2}Hello you\.\n─{80}\n> \? shows the keys/);
    assert.deepEqual(ui.kept, ["hi there"]);
    assert.match(ui.terminal.seen.title, /^yoi sim: idle$/);
    await press(ui, "ctrl+d");
    await host.advance(2_000);
    assert.deepEqual(await ui.ended, { kind: "left", pod: "sim" });
    assert.match(ui.screen(), /Left the Pod sim, which goes on/);
    assert.equal(ui.terminal.isClosed, true);
    assert.equal(pod.pod.snapshot.state, "idle");
  });

  test("an approval given on one terminal resolves the other one", async () => {
    const host = memoryHost({ seed: 2 });
    await using pod = await servedPod(host, asksFor("fly"));
    const a = rig(host, { pods: { sim: pod }, open: toOpen("sim") });
    const b = rig(host, { pods: { sim: pod }, open: toOpen("sim"), size: [200, 50] });
    await a.shows("ready");
    await b.shows("ready");
    a.terminal.type("go");
    await press(a, "enter");
    for (const ui of [a, b]) await ui.shows("may Effect run");
    // The key was pressed before anybody could have read it.
    await press(b, "1");
    assert.match(b.screen(), /Look at it first/);
    assert.equal(pod.pod.approvals.length, 1);
    await host.advance(1_000);
    assert.doesNotMatch(b.screen(), /Look at it first/);
    await press(b, "1");
    await a.shows("allowed from elsewhere");
    for (const ui of [a, b]) {
      await ui.hides("may Effect run");
      await ui.shows("It is done.");
    }
  });

  test("a denial tells the model why", async () => {
    const host = memoryHost({ seed: 3 });
    await using pod = await servedPod(host, asksFor("fly"));
    const ui = rig(host, { pods: { sim: pod }, open: toOpen("sim") });
    await ui.shows("ready");
    ui.terminal.type("go");
    await press(ui, "enter");
    await ui.shows("may Effect run");
    await host.advance(1_000);
    await press(ui, "up", "enter");
    ui.terminal.type("not today");
    await ui.shows("not today");
    await press(ui, "enter");
    await ui.shows("It is done.");
    assert.match(ui.screen(), /not today/);
  });

  test("what is typed while a run goes on waits in the Pod, can be taken back, and Esc stops the run", async () => {
    const host = memoryHost({ seed: 4 });
    await using pod = await servedPod(host, asksFor("fly"));
    const ui = rig(host, { pods: { sim: pod }, open: toOpen("sim") });
    await ui.shows("ready");
    ui.terminal.type("go");
    await press(ui, "enter");
    await ui.shows("may Effect run");
    await host.advance(1_000);
    await press(ui, "escape");
    await ui.shows("A call waits for you");
    ui.terminal.type("and this");
    await press(ui, "enter");
    await ui.shows("with the next request: and this");
    await press(ui, "alt+up");
    await ui.shows("> and this");
    assert.doesNotMatch(ui.screen(), /with the next request: /);
    await press(ui, "escape");
    await ui.shows("cancelled");
    assert.equal(pod.pod.snapshot.state, "idle");
    assert.match(ui.screen(), /> and this/);
  });

  test("goes back to before an input, which can be written otherwise then", async () => {
    const host = memoryHost({ seed: 5 });
    await using pod = await servedPod(host, {
      steps: [{ text: "One." }, { text: "Two." }, { text: "Three." }],
    });
    const ui = rig(host, { pods: { sim: pod }, open: toOpen("sim") });
    await ui.shows("ready");
    for (const [said, answer] of [
      ["first", "One."],
      ["second", "Two."],
    ] as const) {
      ui.terminal.type(said);
      await press(ui, "enter");
      await ui.shows(answer);
    }
    await press(ui, "escape", "escape");
    await ui.shows('before "second"');
    ui.terminal.type("second");
    await press(ui, "enter");
    await ui.shows("Go back to here?");
    await press(ui, "enter");
    await ui.shows('The session went back to before "second"');
    assert.match(ui.screen(), /> second\n○ ready/);
    await press(ui, "escape", "ctrl+c");
    ui.terminal.type("otherwise");
    await press(ui, "enter");
    await ui.shows("> otherwise\n\n  Two.");
  });

  test("switches to the Pod that waits, keeps a draft for each, and says who needs the person", async () => {
    const host = memoryHost({ seed: 6 });
    await using one = await servedPod(host, { steps: [{ text: "One." }] });
    await using two = await servedPod(host, asksFor("fly"), { name: podName("two") });
    const ui = rig(host, { pods: { sim: one, two }, open: toOpen("sim") });
    await ui.shows("ready");
    ui.terminal.type("a draft");
    void two.pod.submit([{ type: "text", text: "go" }]);
    await ui.shows("two waits for you");
    await press(ui, "alt+n");
    await ui.shows("may Effect run");
    assert.match(ui.terminal.seen.title, /^yoi two: waits for you$/);
    await host.advance(1_000);
    await press(ui, "1");
    await ui.shows("It is done.");
    await press(ui, "alt+p");
    await ui.shows("Pods");
    ui.terminal.type("sim");
    await press(ui, "enter");
    await ui.shows("> a draft");
  });

  test("a key is seen at once, and draws nothing that did not change, while the model says 2,000 deltas", async () => {
    const host = memoryHost({ seed: 7 });
    const long = Array.from({ length: 2_000 }, (_, at) => `word${at}`).join(" ");
    await using pod = await servedPod(host, { steps: [{ text: "First." }, { text: long, chunk: 8 }] });
    let drawn = 0;
    const look: typeof lookOf = (theme) =>
      lookOf(theme, (block, options) => {
        drawn += 1;
        return blockLines(block, options);
      });
    const ui = rig(host, { pods: { sim: pod }, open: toOpen("sim"), look });
    await ui.shows("ready");
    ui.terminal.type("go");
    await press(ui, "enter");
    await ui.shows("First.");
    ui.terminal.type("again");
    await press(ui, "enter");
    await ui.shows("word1999");
    drawn = 0;
    ui.terminal.type("x");
    assert.match(ui.screen(), /> x/);
    assert.equal(drawn, 0);
  });

  test("fits small screens, and shows the composer on each of them", async () => {
    const host = memoryHost({ seed: 8 });
    await using pod = await servedPod(host, asksFor("fly", "swim"));
    const ui = rig(host, { pods: { sim: pod }, open: toOpen("sim") });
    await ui.shows("ready");
    ui.terminal.type("go");
    await press(ui, "enter");
    await ui.shows("2 wait");
    for (const [columns, rows] of [
      [40, 10],
      [20, 5],
      [200, 50],
      [80, 24],
    ] as const) {
      ui.terminal.resize(columns, rows);
      await host.advance(50);
      assert.match(ui.screen(), /Effect|asks/, `${columns}x${rows}`);
    }
    await host.advance(1_000);
    await press(ui, "escape");
    ui.terminal.resize(30, 6);
    ui.terminal.type("typed");
    assert.match(ui.screen(), /> typed/);
  });
});

describe("what goes wrong", () => {
  test("in the view ends it with a sentence, and the terminal is given back", async () => {
    const host = memoryHost({ seed: 9 });
    await using pod = await servedPod(host, { steps: [{ text: "Hello." }] });
    const look: typeof lookOf = (theme) =>
      lookOf(theme, () => {
        throw new Error("planted");
      });
    const ui = rig(host, { pods: { sim: pod }, open: toOpen("sim"), look });
    let end: Awaited<typeof ui.ended> | null = null;
    void ui.ended.then((came) => (end = came));
    await ui.until(() => end !== null, "the end");
    assert.deepEqual(end, { kind: "failed", message: "The terminal failed (planted), and the Pod goes on." });
    assert.equal(ui.terminal.isClosed, true);
    assert.equal(pod.pod.snapshot.state, "idle");
  });

  test("in the machine is said, and the terminal goes on", async () => {
    const host = memoryHost({ seed: 10 });
    const ui = rig(host, { pods: {}, open: toOpen("nobody") });
    await ui.shows("There is no Pod nobody.");
    ui.terminal.type("a draft");
    assert.match(ui.screen(), /> a draft/);
    ui.terminal.end();
    await host.advance(2_000);
    assert.deepEqual(await ui.ended, { kind: "left", pod: "nobody" });
  });

  test("is told to who looks elsewhere: that a call waits, and that a run is over", async () => {
    const host = memoryHost({ seed: 11 });
    await using pod = await servedPod(host, asksFor("fly"));
    const ui = rig(host, { pods: { sim: pod }, open: toOpen("sim") });
    await ui.shows("ready");
    ui.terminal.focus(false);
    ui.terminal.type("go");
    await press(ui, "enter");
    await ui.shows("may Effect run");
    await host.advance(1_000);
    await press(ui, "1");
    await ui.shows("It is done.");
    await ui.shows("ready");
    assert.deepEqual(ui.terminal.notified, ["sim waits for your answer", "sim is done"]);
  });
});

test("what others wrote while it was stopped from outside stays", async () => {
  const host = memoryHost({ seed: 1 });
  const served = await servedPod(host, { steps: [{ text: "Yes." }] });
  const ui = rig(host, { pods: { sim: served }, open: toOpen("sim") });
  await ui.shows("? shows the keys");
  const shell = Array.from({ length: 40 }, (_, at) => `of the shell ${at}`);
  ui.terminal.write(`\r\n\r\n\r\n\r\n${shell.join("\r\n")}\r\n`);
  ui.terminal.goOn();
  await ui.shows("? shows the keys");
  const all = [...ui.terminal.seen.scrollback(), ...ui.terminal.seen.screen()];
  assert.deepEqual(
    all.filter((row) => row.startsWith("of the shell")),
    shell,
  );
  ui.terminal.end();
  await ui.ended;
});
