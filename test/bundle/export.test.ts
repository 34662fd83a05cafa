/** A Pod in a file: what `verify` says of it on another machine is what it says at home, held or not. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { bundleBytesMax } from "../../packages/cli/src/bundle/bundle-format.ts";
import { eventually } from "../support/processes.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, startYoi, yoiCommand } from "../support/yoi-process.ts";

const large = "x".repeat(1_200_000);

/** A machine with one Pod, one of whose answers lies in a blob, and another machine that has nothing but a place for files. */
async function machines(home: TempHome) {
  const scenario = { chunk: 65_536, steps: [{ text: large }] };
  writeFileSync(join(home.workspace, "s.yaml"), JSON.stringify(scenario));
  const here = { env: home.env, cwd: home.workspace };
  const ran = await runYoi(["run", "one", "--pod", "p", "-m", "scripted/s.yaml"], here);
  assert.equal(ran.code, 0, ran.stderr);
  const elsewhere = join(home.root, "elsewhere");
  mkdirSync(elsewhere);
  const there = { env: { ...home.env, YOI_HOME: join(elsewhere, "yoi"), TMPDIR: elsewhere }, cwd: elsewhere };
  const bundle = join(elsewhere, "p.tar");
  return {
    bundle,
    there,
    elsewhere,
    yoi: (...args: string[]) => runYoi(args, here),
    yoiThere: (...args: string[]) => runYoi(args, there),
  };
}

test("verify says elsewhere what it says at home, and writes nothing", async () => {
  using home = tempHome();
  const m = await machines(home);
  const exported = await m.yoi("pod", "export", "p", "-o", m.bundle, "--json");
  assert.equal(exported.code, 0, exported.stderr);
  const said = JSON.parse(exported.stdout) as Record<string, unknown>;
  assert.deepEqual([said["path"], said["bytes"], said["blobs"]], [m.bundle, statSync(m.bundle).size, 1]);
  const placeless = (text: string) => text.replaceAll(home.home, "").replaceAll(m.bundle, "");
  for (const flags of [["--wire", "--json"], ["--head"]]) {
    const atHome = await m.yoi("pod", "verify", "p", ...flags);
    const there = await m.yoiThere("pod", "verify", "--bundle", "p.tar", ...flags);
    assert.deepEqual(
      [there.code, placeless(there.stdout), there.stderr],
      [0, placeless(atHome.stdout), atHome.stderr],
    );
  }
  const packed = readFileSync(m.bundle);
  const zipped = `${m.bundle}.gz`;
  writeFileSync(zipped, gzipSync(packed));
  const lines = (await m.yoiThere("pod", "verify", "--bundle", m.bundle)).stdout;
  for (const [bytes, from, code] of [
    [gzipSync(packed), "p.tar.gz", 0],
    [packed, "-", 0],
    [gzipSync(packed).subarray(0, 1_000), "-", 1],
  ] as const) {
    const read = await runYoi(["pod", "verify", "--bundle", from], { ...m.there, input: bytes });
    assert.deepEqual([read.code, read.stdout], [code, code === 0 ? lines : ""], read.stderr);
  }
  rmSync(zipped);
  truncateSync(m.bundle, statSync(m.bundle).size - 2048);
  const cut = await m.yoiThere("pod", "verify", "--bundle", "p.tar", "--json");
  assert.equal(cut.code, 1);
  assert.equal((JSON.parse(cut.stdout) as { error_code: string }).error_code, "bundle_invalid");
  truncateSync(m.bundle, bundleBytesMax + 1);
  const huge = await m.yoiThere("pod", "verify", "--bundle", "p.tar");
  assert.deepEqual(
    [huge.code, huge.stderr],
    [1, `yoi: The bundle ${m.bundle} has more than ${bundleBytesMax} bytes.\n`],
  );
  assert.deepEqual(readdirSync(m.elsewhere), ["p.tar"], "something was written");
});

test("a bundle is for its owner alone, is not put over another file unasked, and never into yoi's own directories", async () => {
  using home = tempHome();
  const m = await machines(home);
  const first = await m.yoi("pod", "export", "p");
  const file = join(home.workspace, "p.tar");
  assert.deepEqual([first.code, statSync(file).mode & 0o777], [0, 0o600], first.stderr);
  writeFileSync(file, "mine");
  const refused = await m.yoi("pod", "export", "p");
  assert.deepEqual(
    [refused.code, refused.stderr],
    [2, `yoi: ${file} exists: name another file with -o, or replace it with --force.\n`],
  );
  assert.equal(readFileSync(file, "utf8"), "mine");
  assert.equal((await m.yoi("pod", "export", "p", "--force")).code, 0);
  symlinkSync(home.home, join(home.workspace, "link"));
  for (const place of [
    join(home.home, "locks", "p.tar"),
    join(home.workspace, "link", "p.tar"),
    "/dev/null",
    home.workspace,
    join(home.root, "none", "p.tar"),
  ]) {
    const { code, stderr } = await m.yoi("pod", "export", "p", "--force", "-o", place);
    assert.equal(code, 2, `${place}: ${stderr}`);
  }
  assert.ok(!existsSync(join(home.home, "p.tar")) && statSync("/dev/null").isCharacterDevice());
  const dangling = join(home.workspace, "dangling.tar");
  symlinkSync(join(home.workspace, "nowhere.tar"), dangling);
  for (const [place, sentence] of [
    [dangling, `${dangling} exists: name another file with -o, or replace it with --force.`],
    ["", "-o names nothing: name the file with -o, - for standard output."],
    ["new/", "new/ is the name of a directory: name the file with -o, - for standard output."],
    [home.workspace, `${home.workspace} is a directory: name another file with -o.`],
  ] as const) {
    const { code, stderr } = await m.yoi("pod", "export", "p", "-o", place);
    assert.deepEqual([code, stderr], [2, `yoi: ${sentence}\n`]);
  }
  assert.ok(lstatSync(dangling).isSymbolicLink() && !existsSync(join(home.workspace, "nowhere.tar")));
  const listed = execFileSync("sh", ["-c", `${yoiCommand} pod export p -o - | tar tf -`], {
    cwd: home.workspace,
    env: home.env,
    encoding: "utf8",
  })
    .trimEnd()
    .split("\n");
  assert.deepEqual(listed.slice(0, 2), ["manifest.json", "pods/p/metadata.json"]);
  assert.equal(listed.length, 4);
});

test("a Pod that another process holds is exported as far as its log is good, and goes on undisturbed", async () => {
  using home = tempHome();
  const scenario = {
    steps: [
      {
        tool_calls: [
          {
            name: "Bash",
            arguments: { command: "echo x > started; while [ ! -e go ]; do sleep 0.05; done" },
          },
        ],
      },
      { text: "Done." },
    ],
  };
  writeFileSync(join(home.workspace, "s.yaml"), JSON.stringify(scenario));
  const options = { env: home.env, cwd: home.workspace };
  const run = startYoi(["run", "go", "--pod", "p", "-m", "scripted/s.yaml", "--sandbox", "off"], options);
  await eventually("the tool runs", () => existsSync(join(home.workspace, "started")), 20_000);
  const exported = await runYoi(["pod", "export", "p"], options);
  assert.equal(exported.code, 0, exported.stderr);
  writeFileSync(join(home.workspace, "go"), "");
  assert.deepEqual([(await run.ended).code, run.output().stdout], [0, "Done.\n"]);
  const verified = await runYoi(["pod", "verify", "--bundle", "p.tar", "--wire", "--json"], options);
  const { ok, requests } = JSON.parse(verified.stdout) as { ok: boolean; requests: number };
  assert.deepEqual([verified.code, ok, requests], [0, true, 1]);
});
