/** A bind mount in what is to be lent: refused, where its device alone tells nothing; and a workspace that is itself one. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";

test(
  "W-37: what is bind-mounted, or has something mounted in it, is not lent unless the user granted it",
  { skip: noBubblewrap() },
  () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-mounted-")));
    const workspace = join(root, "ws");
    try {
      for (const name of ["ws/mounted", "ws/beside", "elsewhere/deep"])
        mkdirSync(join(root, name), { recursive: true });
      const worker = [process.execPath, new URL("mounted-worker.ts", import.meta.url).pathname, workspace];
      const lends = (mounts: readonly string[]): unknown =>
        JSON.parse(
          execFileSync("bwrap", ["--dev-bind", "/", "/", ...mounts, "--", ...worker], {
            encoding: "utf8",
            timeout: 30_000,
          }),
        );
      const mounted = join(workspace, "mounted");
      const onAnother = (target: string) =>
        `"${target}" cannot be lent because it lies on another mount ("${mounted}") than "${workspace}", which was granted: name something outside of that mount, or ask the user to add a rule for it.`;
      const bind = ["--bind", join(root, "elsewhere"), mounted];
      assert.deepEqual(lends(["--bind", workspace, workspace, ...bind]), [
        true, // control: a check by device lets it through
        onAnother(mounted),
        onAnother(`${mounted}/deep`),
        `"${workspace}" cannot be lent because it has something mounted below it, at "${mounted}": name directories beside that mount.`,
        1,
        1,
      ]);
      mkdirSync(join(mounted, "deep"));
      assert.deepEqual(
        lends(["--bind", workspace, workspace]),
        [true, 1, 1, 1, 1, 1],
        "control: without the mount each is lent",
      );
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
);
