/** Inside a sandbox that has the tickets read-only, they can be read, and nothing else. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { tempHome } from "../support/temp-home.ts";
import { realStore, rootIn } from "./place.ts";

const tries = fileURLToPath(new URL("./read-only.ts", import.meta.url));

for (const isLockThere of [true, false])
  test(
    `on a read-only file system, ${isLockThere ? "with the lock file there" : "without a lock file"}: every verb that writes says so, and changes nothing`,
    { skip: noBubblewrap() },
    async () => {
      using home = tempHome();
      const store = realStore(home.workspace);
      const { id } = await store.create({ title: "Read", body: "" }, { author: "hare", role: "user" });
      const lock = join(rootIn(home.workspace), ".lock");
      if (!isLockThere) spawnSync("rm", [lock]);
      const places = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
      const { stdout, stderr } = spawnSync(
        "bwrap",
        ["--die-with-parent", ...places, "--", process.execPath, tries, home.workspace, id],
        { env: home.env, encoding: "utf8" },
      );
      assert.equal(stderr, "");
      const refused = `permission_denied: Cannot lock ${lock}: the file system is read-only (EROFS); remount it for writing, or choose another directory.`;
      assert.deepEqual(JSON.parse(stdout), {
        list: "done",
        show: "done",
        news: "done",
        doctor: "done",
        create: refused,
        add: refused,
        transition: refused,
        close: refused,
      });
      assert.equal((await store.show(id)).events.length, 1);
    },
  );
