/** The lock of the tickets in a fresh clone, which git does not bring along: a command that began before it was made does not see it either. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { person, Scene } from "./scene.ts";

test(
  "a command that begins before anybody changes a ticket cannot take the lock that is made meanwhile",
  { skip: noBubblewrap() },
  async () => {
    using scene = new Scene();
    const { workspace } = scene.home;
    mkdirSync(scene.root, { recursive: true });
    const began = join(workspace, "began");
    const go = join(workspace, "go");
    const command = `touch ${began}; for n in $(seq 400); do [ -e ${go} ] && break; sleep 0.05; done; ls .yoi/tickets; stat -c 'seen %i' .yoi/tickets/.lock`;
    const ran = scene.run("early", [{ name: "Bash", arguments: { command } }], "--profile", "orchestrator");
    for (let n = 0; n < 400 && !existsSync(began); n++) await new Promise((done) => setTimeout(done, 25));
    assert.ok(existsSync(began), "the command did not begin");
    const { id } = await scene.store.create({ title: "Made meanwhile", body: "" }, person);
    writeFileSync(go, "");
    const [outcome] = await ran;
    const text = outcome?.text ?? "";
    // It sees the tickets of now, and at the place of their lock something else.
    assert.ok(text.includes(id), text);
    const { ino } = statSync(join(scene.root, ".lock"));
    assert.match(text, /^seen \d+$/m);
    assert.doesNotMatch(text, new RegExp(`^seen ${ino}$`, "m"));
  },
);
