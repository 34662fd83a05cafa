/** Where a hosted Pod is reached: made again where somebody cleans it, and closed to other users of the machine. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import test, { describe } from "node:test";
import { eventually } from "../support/processes.ts";
import { attachRaw, Hosting, type HostedPod } from "./hosted.ts";

const scenario = "steps:\n  - text: Done.\n";
/** A look every 3 s, and a busy machine. */
const againMs = 30_000;

async function answers(pod: HostedPod): Promise<boolean> {
  try {
    const client = await pod.client({ stream: false });
    const { result } = await client.ask("ping", { text: "x" });
    client.drop();
    return result?.["text"] === "x";
  } catch {
    return false;
  }
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe("the place of a hosted Pod", { concurrency: true }, () => {
  test("the whole runtime directory is removed: it is there again, with another token, and whoever was attached still is", async () => {
    await using hosting = new Hosting();
    const pod = await hosting.startPod("p", scenario);
    const attached = await pod.client();
    const old = pod.token;
    const run = dirname(dirname(pod.socket));
    rmSync(run, { recursive: true });
    await eventually("the socket is there again", () => existsSync(pod.socket), againMs);
    assert.ok(await answers(pod));
    assert.deepEqual([run, dirname(pod.socket), join(run, "token"), pod.socket].map(modeOf), [
      "700",
      "700",
      "600",
      "600",
    ]);
    assert.notEqual(pod.token, old);
    const refused = await attachRaw(pod.socket, old).then(
      (client) => client.drop(),
      (error: unknown) => String(error),
    );
    assert.match(refused ?? "", /unauthorized/, "the old token opens nothing");
    const { result } = await attached.ask("ping", { text: "still" });
    assert.equal(result?.["text"], "still");
    attached.drop();
    assert.match(pod.output, /Z The socket was gone and is there again\.\n/);
    assert.equal((await pod.stop()).code, 143);
    assert.ok(!existsSync(pod.socket));
  });

  for (const [what, gone] of [
    ["all of its home", ""],
    ["its metadata", "pods/p/metadata.json"],
    ["its lock", "locks/p.sqlite"],
  ] as const) {
    test(`${what} is removed under it: the process ends, says why, and makes nothing of the Pod there again`, async () => {
      await using hosting = new Hosting();
      const { home } = hosting.home;
      const pod = await hosting.startPod("p", scenario);
      const place = join(home, gone);
      assert.ok(existsSync(place));
      rmSync(place, { recursive: true });
      const { code, stderr } = await pod.ended;
      assert.equal(code, 1);
      assert.match(stderr, /The lock or the metadata of the Pod p is no longer in .*, and its process ends/);
      // The registry is a mirror, which is made anew wherever it is asked.
      const left = existsSync(place)
        ? readdirSync(place).filter((name) => !name.startsWith("registry."))
        : [];
      assert.deepEqual(left, []);
    });
  }

  test("the token is removed: nobody gets in until it is there again, and then with the new one", async () => {
    await using hosting = new Hosting();
    const pod = await hosting.startPod("p", scenario);
    const token = join(dirname(dirname(pod.socket)), "token");
    const old = pod.token;
    rmSync(token);
    await assert.rejects(attachRaw(pod.socket, old), /unauthorized/);
    await eventually("a token is there again", () => existsSync(token), againMs);
    assert.ok(await answers(pod));
    await assert.rejects(attachRaw(pod.socket, old), /unauthorized/);
  });

  test("what the directory became unsafe by lets nobody in, and is said in the log with what mends it", async () => {
    await using hosting = new Hosting();
    const pod = await hosting.startPod("p", scenario);
    const run = dirname(dirname(pod.socket));
    chmodSync(run, 0o755);
    await assert.rejects(attachRaw(pod.socket, pod.token), /unauthorized/);
    await eventually("it is said", () => pod.output.includes(`chmod 700 ${run}`), againMs);
    chmodSync(run, 0o700);
    assert.ok(await answers(pod));
  });

  test(
    "T9: another user of the machine does not reach the socket; where the modes are taken away, the token still stands",
    { skip: process.getuid?.() === 0 ? false : "only root becomes another user" },
    async () => {
      await using hosting = new Hosting();
      const { root, home } = hosting.home;
      const pod = await hosting.startPod("p", scenario);
      // Everything above the runtime directory is open: its own mode is what is tried.
      for (const path of [root, home]) chmodSync(path, 0o755);
      const theirs = join(root, "theirs");
      mkdirSync(theirs);
      const script = join(theirs, "connect.mjs");
      writeFileSync(
        script,
        `import { connect } from "node:net";
const socket = connect(process.argv[2]);
socket.on("error", (error) => { console.log(error.code); });
socket.on("connect", () => { socket.write(JSON.stringify({ id: "h", method: "hello", params: { protocol: 1, role: "user", token: "0".repeat(64), stream: false } }) + "\\n"); });
socket.on("data", (data) => { console.log(JSON.parse(String(data)).error.code); socket.destroy(); });
`,
      );
      chmodSync(theirs, 0o755);
      chmodSync(script, 0o644);
      const node = join(theirs, "node");
      writeFileSync(node, readFileSync(process.execPath), { mode: 0o755 });
      const asNobody = () =>
        spawnSync(node, [script, pod.socket], {
          uid: 65_534,
          gid: 65_534,
          cwd: "/",
          encoding: "utf8",
          env: {},
        });
      assert.deepEqual(asNobody().stdout, "EACCES\n");
      // Control: without the modes they are connected, so it was these that kept them out.
      const run = dirname(dirname(pod.socket));
      for (const path of [run, dirname(pod.socket)]) chmodSync(path, 0o755);
      chmodSync(pod.socket, 0o666);
      assert.deepEqual(asNobody().stdout, "unauthorized\n");
    },
  );
});
