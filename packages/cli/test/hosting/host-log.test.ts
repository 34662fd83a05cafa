/** The log of a hosting process: lines with their time, the one before kept once, and never larger than its limit. */
import assert from "node:assert/strict";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, describe } from "node:test";
import { podName } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import {
  HostLog,
  hostLogBytesMax,
  hostLogsOf,
  removeHostLogs,
  startingLogOf,
} from "../../src/hosting/host-log.ts";

const { files } = nodeHost();
const root = mkdtempSync(join(tmpdir(), "yoi-host-log-"));
after(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
/** One life of a hosting process: its output goes to a file, which then gets the Pod's name. */
async function life(dataDir: string) {
  count += 1;
  const logs = hostLogsOf(dataDir, podName("p"));
  mkdirSync(join(dataDir, "hosts"), { recursive: true });
  const output = join(dataDir, "hosts", `.p.${count}.log`);
  let at = output;
  appendFileSync(output, "");
  const log = new HostLog({
    files,
    clock: { now: () => 0, monotonic: () => 0 },
    write: (line) => appendFileSync(at, line),
  });
  log.say(`life ${count}`);
  await log.takePlace(output, logs);
  at = logs.last;
  return { log, logs, output };
}

const time = "1970-01-01T00:00:00.000Z";

describe("host log", () => {
  test("with the Pod go its logs, those of starts that were killed too, and no other Pod's", async () => {
    const data = join(root, "removed");
    const { logs } = await life(data);
    const unique = "01a20234-acef-7610-b251-c2d6b5bf5081";
    const others = ["a.p.log", "p.log.1.log", `.p.q.${unique}.log`, `.q.${unique}.log`];
    for (const name of [...others, "p.log.1"]) writeFileSync(join(data, "hosts", name), "");
    writeFileSync(startingLogOf(data, podName("p"), unique), "");
    await removeHostLogs(files, data, podName("p"));
    assert.deepEqual(readdirSync(join(data, "hosts")), others.toSorted());
    assert.ok(!existsSync(logs.last));
  });

  test("each life begins it anew, and the one before is kept, no other", async () => {
    const data = join(root, "lives");
    const from = count;
    const lives = [];
    for (const _ of [1, 2, 3]) lives.push(await life(data));
    const [last] = lives.slice(-1);
    assert.ok(last !== undefined);
    assert.equal(readFileSync(last.logs.last, "utf8"), `${time} life ${from + 3}\n`);
    assert.equal(readFileSync(last.logs.before, "utf8"), `${time} life ${from + 2}\n`);
    assert.ok(!existsSync(last.output));
  });

  test("control characters are shown, a text is one line", async () => {
    const lines: string[] = [];
    const log = new HostLog({
      files,
      clock: { now: () => 0, monotonic: () => 0 },
      write: (line) => lines.push(line),
    });
    log.say("a\nb\u001b[0m");
    assert.deepEqual(lines, [`${time} a\\u000ab\\u001b[0m\n`]);
  });

  test("a log at its limit is begun anew; what is said meanwhile comes behind", async () => {
    const { log, logs } = await life(join(root, "limit"));
    const before = statSync(logs.last).size;
    const line = (bytes: number) => log.say("x".repeat(bytes - time.length - 2));
    line(hostLogBytesMax - before - 1);
    assert.equal(statSync(logs.last).size, hostLogBytesMax - 1);
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(!existsSync(logs.before), "one byte below the limit nothing happens");
    log.say("one more");
    log.say("meanwhile");
    await log.settled;
    assert.equal(readFileSync(logs.last, "utf8"), `${time} meanwhile\n`);
    assert.match(readFileSync(logs.before, "utf8"), /one more\n$/);
  });

  test("a log that is as large as it may be is begun anew", async () => {
    const { log, logs } = await life(join(root, "full"));
    log.say("x".repeat(hostLogBytesMax - statSync(logs.last).size - time.length - 2));
    await log.settled;
    assert.deepEqual(
      [logs.last, logs.before].map((path) => statSync(path).size),
      [0, hostLogBytesMax],
    );
  });

  test("a log that cannot be begun anew goes on", async () => {
    const { log, logs } = await life(join(root, "kept"));
    mkdirSync(logs.before);
    log.say("x".repeat(hostLogBytesMax));
    await log.settled;
    assert.match(readFileSync(logs.last, "utf8"), /This log could not be begun anew\.\n$/);
  });
});
