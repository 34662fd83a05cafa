/** Which bwrap is used: none, where there is only one that a Pod or anybody could have written. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { YoiError } from "@yoi/base";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { type Harness, harness, testPath } from "./harness.ts";
import { makePlace } from "./place.ts";

const open: Harness[] = [];
after(() => Promise.all(open.map((one) => one.close())));

async function start(options: Parameters<typeof harness>[0]): Promise<Harness> {
  const one = await harness(options);
  open.push(one);
  return one;
}

test("sandbox on: without bubblewrap a command is refused and does not run", async () => {
  const { run, runner, place } = await start({ path: `${testPath.split(":")[0] ?? ""}:/nonexistent` });
  assert.equal(runner.status.mode, "missing");
  const reason = runner.status.mode === "missing" ? runner.status.reason : "";
  assert.match(
    reason,
    /no bwrap is on PATH where you could not have written it yourself; install it with: \S+/,
  );
  await assert.rejects(
    run("touch ran"),
    (thrown) => thrown instanceof YoiError && thrown.code === "sandbox_missing" && thrown.message === reason,
  );
  assert.ok(!existsSync(`${place.workspace}/ran`));
});

test("sandbox on: a bwrap in the workspace, or in a directory that everybody can write, is not used", async () => {
  const place = makePlace(testPath);
  const everybody = `${place.outside}/everybody`;
  mkdirSync(everybody);
  mkdirSync(`${place.workspace}/bin`);
  symlinkSync(`${place.workspace}/bin`, `${place.outside}/linked`);
  for (const directory of [place.workspace, `${place.workspace}/bin`, everybody]) {
    writeFileSync(`${directory}/bwrap`, `#!/bin/sh\necho pwned > ${place.outside}/pwned\n`, { mode: 0o755 });
  }
  chmodSync(everybody, 0o777);
  const path = [
    "",
    ".",
    "bin",
    place.workspace,
    `${place.workspace}/bin`,
    everybody,
    `${place.outside}/linked`,
  ].join(":");
  const { runner } = await start({ place, path });
  assert.equal(runner.status.mode, "missing");
  assert.ok(!existsSync(`${place.outside}/pwned`));
});

test("sandbox on: a bwrap that an earlier Pod wrote into a directory of PATH is not used", async () => {
  const place = makePlace(testPath);
  const tools = `${place.home}/tools/bin`;
  mkdirSync(tools, { recursive: true });
  mkdirSync(`${place.home}/linked`);
  symlinkSync(`${tools}/bwrap`, `${place.home}/linked/bwrap`);
  writeFileSync(`${tools}/bwrap`, `#!/bin/sh\necho pwned > ${place.outside}/pwned\n`, { mode: 0o755 });
  for (const directory of [tools, `${place.home}/linked`]) {
    const alone = await start({ place, path: directory });
    assert.equal(alone.runner.status.mode, "missing", directory);
    const first = await start({ place, path: `${directory}:${testPath}` });
    assert.equal(first.runner.status.mode, noBubblewrap() === false ? "bubblewrap" : "missing", directory);
  }
  assert.ok(!existsSync(`${place.outside}/pwned`));
  execFileSync(`${place.home}/linked/bwrap`);
  assert.ok(existsSync(`${place.outside}/pwned`), "control: whoever runs it is taken in");
});
