/** How a terminal begins: without a model, without colours, and back to what was there. */
import assert from "node:assert/strict";
import test from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { noTmux, Terminals } from "../support/tmux.ts";
import { yoiCommand } from "../support/yoi-process.ts";
import { podArgv, stepsOf } from "./pods.ts";

/** A Pod that is restored, and the demo, have their sandbox. */
const skip = noTmux() || noBubblewrap();

test("the first run", { skip }, async (t) => {
  const step = stepsOf(t);
  using terminals = new Terminals();
  await step("comes to the offline demo without a key", async () => {
    const yoi = terminals.open([yoiCommand]);
    await yoi.shows(/Who has the model\?/);
    yoi.type("scripted");
    await yoi.shows(/^> scripted/m);
    yoi.press("Enter");
    await yoi.shows(/answered: /);
    yoi.press("Enter");
    await yoi.shows(/The offline demo answers here[^]*> Ask for something/);
    yoi.type("hello there");
    yoi.press("Enter");
    await yoi.shows(/Type another prompt[^]*○ ready/);
    yoi.press("C-d");
    assert.equal(await yoi.ended(), 0);
  });

  await step("-c goes on with it, and so does yoi alone", async () => {
    for (const flags of [["-c"], []]) {
      const yoi = terminals.open([yoiCommand, ...flags]);
      await yoi.holds(/^> hello there$[^]*○ ready/m);
      yoi.press("C-d");
      assert.equal(await yoi.ended(), 0);
    }
  });

  await step("-r shows the Pods to choose from", async () => {
    const yoi = terminals.open([yoiCommand, "-r"]);
    await yoi.shows(/ Pods [^]*^> /m);
    yoi.press("Enter");
    await yoi.holds(/^> hello there$[^]*○ ready/m);
    yoi.press("C-d");
    assert.equal(await yoi.ended(), 0);
  });
});

test("without colours, and without a screen to draw on", { skip }, async (t) => {
  const step = stepsOf(t);
  using terminals = new Terminals();
  const argv = podArgv(terminals.home, "site", [
    { text: "# A title\n\n`code` and **strong**" },
    { text: "Plain." },
  ]);
  const colours = /\u001b\[[1-9][\d;]*m/;

  await step("NO_COLOR: nothing is coloured", async () => {
    const yoi = terminals.open(argv, { env: { NO_COLOR: "1" } });
    await yoi.shows(/Ask for something/);
    yoi.type("go");
    yoi.press("Enter");
    await yoi.shows(/A title[^]*○ ready/);
    assert.doesNotMatch(yoi.bytes(), colours);
    yoi.press("C-d");
    assert.equal(await yoi.ended(), 0);
  });

  await step("control: otherwise it is", async () => {
    const yoi = terminals.open([yoiCommand, "attach", "site"]);
    await yoi.shows(/A title[^]*○ ready/);
    assert.match(yoi.bytes(), colours);
    yoi.press("C-d");
    assert.equal(await yoi.ended(), 0);
  });

  await step("TERM=dumb: lines and nothing else", async () => {
    const yoi = terminals.open(["env", "TERM=dumb", yoiCommand, "attach", "site"]);
    await yoi.shows(/A title/);
    yoi.type("plainly");
    yoi.press("Enter");
    await yoi.shows(/Plain\./);
    assert.doesNotMatch(yoi.bytes(), /\u001b/);
    yoi.press("C-d");
    assert.equal(await yoi.ended(), 0);
  });
});
