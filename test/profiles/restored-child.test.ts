/** A child that is started again, through the real program: never looser than its lender is then, and its sandbox is on once nobody says off. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { eventually } from "../support/processes.ts";
import { findLog } from "../support/stored-log.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi } from "../support/yoi-process.ts";

interface Shown {
  readonly manifest: {
    readonly sandbox: { readonly mode: string };
    readonly limits: { readonly max_turns: number | null };
    readonly scope: { readonly deny: readonly { readonly target: string }[] };
  };
}

test(
  "decision 4: a child of a lender whose sandbox was off for one start is in a sandbox when that is on again, with the lender's bounds of then and the denies of today",
  {
    skip: noBubblewrap(),
  },
  async () => {
    using home = tempHome();
    const { workspace } = home;
    const yoi = (...args: string[]) => runYoi(args, { cwd: workspace, env: home.env });
    const outside = (life: string) => join(home.home, `${life}-outside`);
    const touch = (life: string) =>
      `  - tool_calls:\n      - name: Bash\n        arguments: { command: "touch ${outside(life)}" }\n  - text: Done.\n`;
    const config = join(home.home, "config");
    mkdirSync(join(config, "profiles"), { recursive: true });
    mkdirSync(join(workspace, "secret"));
    writeFileSync(join(workspace, "kid.yaml"), `steps:\n${touch("first")}${touch("second")}`);
    writeFileSync(join(config, "profiles", "kid.toml"), '[model]\nref = "scripted/kid.yaml"\n');
    const spawn = {
      name: "kid",
      profile: "user:kid",
      task: "Touch.",
      scope: [{ target: workspace, permission: "read" }],
    };
    const calls = `  - tool_calls:\n      - name: SpawnPod\n        arguments: ${JSON.stringify(spawn)}\n`;
    writeFileSync(join(workspace, "lead.yaml"), `steps:\n${calls}${"  - text: Noted.\n".repeat(6)}`);
    const shown = async (): Promise<Shown["manifest"]> =>
      (JSON.parse((await yoi("pod", "show", "kid", "--json")).stdout) as Shown).manifest;
    const restored = async () => {
      const { code, stderr } = await yoi("pod", "restore", "kid");
      assert.equal(code, 0, stderr);
      return stderr;
    };
    try {
      await yoi("pod", "start", "lead", "-m", "scripted/lead.yaml", "--sandbox", "off");
      assert.equal((await yoi("pod", "send", "lead", "go", "--wait")).code, 0);
      const log = () => readFileSync(findLog(home.home, "lead") ?? "", "utf8");
      await eventually("the child ran", () => log().includes("The Pod kid finished its run"), 20_000);
      assert.equal((await yoi("pod", "stop", "kid")).code, 0);
      assert.ok(existsSync(outside("first")), "control: with its lender's sandbox off it gets out");
      // Its loan came back: its parent, whose sandbox is off now, lends anew, and the user is told.
      assert.match(await restored(), /^yoi: The sandbox is off: /m);
      assert.equal((await shown()).sandbox.mode, "off");

      await yoi("pod", "stop", "lead");
      writeFileSync(
        join(config, "config.toml"),
        `[[scope.deny]]\ntarget = "${workspace}/secret"\npermission = "read"\n`,
      );
      assert.equal((await yoi("pod", "start", "lead", "--max-turns", "4")).code, 0);
      assert.equal(await restored(), "");
      const { sandbox, limits, scope } = await shown();
      assert.deepEqual(
        [sandbox.mode, limits.max_turns, scope.deny.map(({ target }) => target)],
        ["on", 4, [join(workspace, "secret")]],
      );
      const sent = await yoi("pod", "send", "kid", "go", "--wait");
      assert.deepEqual([sent.code, sent.stdout], [0, "Done.\n"], sent.stderr);
      assert.ok(!existsSync(outside("second")));
    } finally {
      await yoi("pod", "stop", "lead");
    }
  },
);
