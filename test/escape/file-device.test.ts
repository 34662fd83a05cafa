/** Another file system in the workspace is not what was granted, until a rule names it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";

test("a file system mounted below the workspace needs a rule of its own", { skip: noBubblewrap() }, () => {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), "yoi-device-")));
  try {
    mkdirSync(join(workspace, "mounted"));
    const mount = ["--dev-bind", "/", "/", "--tmpfs", join(workspace, "mounted")];
    const worker = [process.execPath, new URL("file-device-worker.ts", import.meta.url).pathname, workspace];
    const said: unknown = JSON.parse(
      execFileSync("bwrap", [...mount, "--", ...worker], { encoding: "utf8", timeout: 30_000 }),
    );
    const refused = `The path "${workspace}/mounted" is on another file system than the directory that was granted: ask the user to add a rule for it.`;
    assert.deepEqual(said, [`${workspace}/mounted/file.txt`, "x", refused, refused]);
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
});
