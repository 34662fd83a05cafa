/** Inside a sandbox that has the tickets read-only, they can be read, and nothing else. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { tempHome } from "../support/temp-home.ts";
import { realStore, rootIn } from "./place.ts";

const tries = fileURLToPath(new URL("./read-only.ts", import.meta.url));

const readOnly = (lock: string) =>
  `permission_denied: Cannot lock ${lock}: the file system is read-only (EROFS); remount it for writing, or choose another directory.`;
const covered = (lock: string) =>
  `permission_denied: The tickets in ${dirname(lock)} are read-only here: their .lock is covered, as in the sandbox of a Pod; change them outside of it.`;

const cases = [
  { how: "with the lock file there", mask: false, says: readOnly },
  { how: "without a lock file", mask: false, says: readOnly },
  // As a file that tools are denied.
  { how: "with the lock file covered", mask: true, says: covered },
] as const;

for (const { how, mask, says } of cases)
  test(
    `on a read-only file system, ${how}: every verb that writes says so, and changes nothing`,
    { skip: noBubblewrap() },
    async () => {
      using home = tempHome();
      const store = realStore(home.workspace);
      const { id } = await store.create({ title: "Read", body: "" }, { author: "hare", role: "user" });
      const lock = join(rootIn(home.workspace), ".lock");
      if (how === "without a lock file") rmSync(lock);
      const places = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
      if (mask) places.push("--ro-bind", "/dev/null", lock);
      const { stdout, stderr } = spawnSync(
        "bwrap",
        ["--die-with-parent", ...places, "--", process.execPath, tries, home.workspace, id],
        { env: home.env, encoding: "utf8" },
      );
      assert.equal(stderr, "");
      const refused = says(lock);
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
