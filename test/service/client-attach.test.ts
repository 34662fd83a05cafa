/** `yoi attach`: terminals that see the same lines through a kill and a restore, what is typed there, and how it ends. */
import assert from "node:assert/strict";
import test from "node:test";
import { Hosting } from "./hosted.ts";
import { Terminal } from "./terminal.ts";

/** The second answer takes long enough to pull the plug in its middle. */
const scenario = `steps:
  - text: "First answer\\u001b[2J.\\n\\nIn two parts."
  - text: "A long answer that is cut in its middle and told again."
    pace_ms: 60
    chunk: 3
  - text: Never said.
    delay_ms: 60000
`;

test("two terminals attached to one Pod show the same lines through a kill and a restore", async () => {
  await using hosting = new Hosting();
  const pod = await hosting.startPod("p", scenario);
  using one = new Terminal(hosting.home, ["attach", "p"]);
  using two = new Terminal(hosting.home, ["attach", "p"]);
  await Promise.all([one.shows(/Attached to the Pod p \(idle/), two.shows(/Attached to the Pod p \(idle/)]);
  one.type("say @missing.txt");
  await Promise.all([one.shows(/^- finished$/m), two.shows(/^- finished$/m)]);
  assert.match(one.stdout, /^> say @missing\.txt\n/m);
  assert.match(one.stdout, /^ {2}First answer\\u001b\[2J\.\n\n {2}In two parts\.\n- finished\n/m);

  two.type("go on");
  await Promise.all([one.shows(/^ {2}A long/m), two.shows(/^ {2}A long/m)]);
  await pod.kill9();
  await Promise.all([one.shows(/Connection lost/), two.shows(/Connection lost/)]);
  await pod.restore();
  await Promise.all([one.shows(/^- started \(epoch 2/m), two.shows(/^- started \(epoch 2/m)]);
  one.type("/resume");
  await Promise.all([one.shows(/- finished\n[^]*- finished\n/), two.shows(/- finished\n[^]*- finished\n/)]);

  // An input that is stopped before the model began is given back, on both.
  one.type("never mind");
  await two.shows(/^> never mind$/m);
  two.type("/cancel");
  await Promise.all([one.shows(/^- taken back: never mind$/m), two.shows(/^- taken back: never mind$/m)]);

  // One leaves, the Pod goes on; the other one sees its orderly end.
  one.endInput();
  assert.equal(await one.ended, 0, one.stderr);
  assert.match(one.stderr, /Detached: the Pod p goes on\./);
  const seen = one.stdout;
  assert.equal((await pod.stop()).code, 143);
  assert.equal(await two.ended, 0, two.stderr);
  assert.equal(two.stdout, `${seen}- the Pod is closing\n`);
  for (const line of ["> go on", "> never mind", "- started (epoch 2"])
    assert.equal(seen.split(line).length, 2, `${line} stands there once\n${seen}`);
});

test("attach --json gives the events as they are, and says what cannot be attached to with 255", async () => {
  await using hosting = new Hosting();
  const unknown = await hosting.yoi("attach", "p");
  assert.deepEqual([unknown.code, unknown.stdout], [255, ""]);
  assert.match(unknown.stderr, /There is no Pod named p/);
  const pod = await hosting.startPod("p", "steps:\n  - text: Done.\n");
  const following = hosting.begin("attach", "p", "--all", "--json", "--once");
  await following.waitFor(/"event":"snapshot"/);
  const sent = await hosting.yoi("pod", "send", "p", "go", "--submission", "s-1", "--json");
  assert.deepEqual(
    [sent.code, JSON.parse(sent.stdout)],
    [0, { pod: "p", submission: "s-1", id: "5", duplicate: false }],
    sent.stderr,
  );
  await following.waitFor(/"run_ended"/);
  const stopped = await hosting.yoi("pod", "stop", "p", "--json");
  assert.deepEqual([stopped.code, JSON.parse(stopped.stdout)], [0, { pod: "p", stopped: true }]);
  const { code, stdout } = await following.ended;
  assert.equal(code, 0);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const entries = lines.filter(({ event }) => event === "entry").map(({ entry }) => entry);
  assert.deepEqual(entries, pod.log().slice(0, entries.length));
  const [snapshot, ...more] = lines.filter(({ event }) => event === "snapshot");
  assert.equal(more.length, 0);
  const { n } = (snapshot?.["view"] ?? {}) as { readonly n: number };
  const live = lines.filter(({ event }) => event === "live");
  assert.deepEqual(
    live.map((line) => line["n"]),
    live.map((_, at) => n + 1 + at),
  );

  const again = await hosting.yoi("pod", "stop", "p");
  assert.deepEqual([again.code, again.stdout], [0, "The Pod p is not live: there was nothing to stop.\n"]);
  const gone = await hosting.yoi("attach", "p", "--json");
  assert.equal(gone.code, 255);
  assert.equal((JSON.parse(gone.stdout) as { error_code: string }).error_code, "pod_unreachable");
  assert.match(gone.stderr, /The Pod p is not hosted.*`yoi pod restore p`/);
});

test("a paste is one prompt, a line that is cut none; attach ends where nobody reads it, and where its Pod was removed", async () => {
  await using hosting = new Hosting();
  const pod = await hosting.startPod("p", "steps:\n  - text: Done.\n");
  using unread = new Terminal(hosting.home, ["attach", "p"]);
  using one = new Terminal(hosting.home, ["attach", "p"]);
  const greeting = /Attached to the Pod p \(idle, [^)]*, sandbox off\)/;
  await Promise.all([unread.shows(greeting), one.shows(greeting)]);
  unread.stopReading();
  one.type("x".repeat(4095));
  await one.shows(/more than 4094 bytes, so nothing was sent/);
  one.type("go\nthere");
  await one.shows(/^> go\n> there\n {2}Done\.\n- finished$/m);
  assert.equal(await unread.ended, 0, unread.stderr);

  await pod.kill9();
  await one.shows(/Connection lost/);
  const removed = await hosting.yoi("pod", "rm", "p");
  assert.equal(removed.code, 0, removed.stderr);
  assert.equal(await one.ended, 1, one.stderr);
  assert.match(one.stderr, /The Pod p was removed\./);
});
