/** What is typed while attached: what it asks of the Pod, and that nothing is allowed that was not named or looked at. */
import assert from "node:assert/strict";
import test from "node:test";
import { callId, YoiError } from "@yoi/base";
import type { Live, PodView } from "@yoi/protocol";
import { AttachSession, justAppearedMs, oldAlertsMax } from "../../src/client/attach-session.ts";
import type { ReachedPod } from "../../src/client/connect-pod.ts";
import type { Screen } from "../../src/environment.ts";
import { StreamEnd } from "../../src/client/stream-end.ts";
import { viewOf } from "./view.ts";

const digests = ["01234567aa", "89abcdef00"].map((start) => start.padEnd(64, "0"));
const pending = digests.map((digest, index) => ({
  digest,
  call: callId(4, index),
  tool: "Bash",
  arguments: "{}",
  reason: "rule",
  expires: 0,
}));

function attached(screen: Screen | null = null, running: PodView["commands"] = []) {
  const asked: (readonly [string, object])[] = [];
  const said: string[] = [];
  const shown: string[] = [];
  const clock = { now: 0 };
  const session = new AttachSession({
    name: "p",
    tail: 20,
    json: false,
    waits: true,
    isAttended: true,
    end: new StreamEnd(),
    screen: () => screen,
    write: (text) => void shown.push(text),
    say: (text) => void said.push(text),
    newId: () => "id-1",
    now: () => clock.now,
  });
  const pod = {
    call: async (method: string, params: object) => {
      if (method === "cancel") throw new YoiError("not_running", "Nothing runs.");
      if (method === "show") return viewOf({ commands: running });
      asked.push([method, params]);
    },
    submit: async (method: string, params: object) => {
      if (method === "submit" && JSON.stringify(params).includes("again"))
        throw new YoiError("already_running", "Stop it.");
      asked.push([method, params]);
    },
  } as unknown as ReachedPod;
  const type = async (line: string) => {
    said.length = 0;
    return { goesOn: await session.typed([line], pod), said: [...said] };
  };
  return { session, asked, said, shown, clock, type };
}

test("lines become requests; what the Pod refuses is said, and the session goes on", async () => {
  const { asked, type } = attached();
  assert.deepEqual(await type("go"), { goesOn: true, said: [] });
  assert.deepEqual(await type("/pause"), { goesOn: true, said: [] });
  assert.deepEqual(await type("/cancel"), { goesOn: true, said: ["Nothing runs."] });
  assert.deepEqual(await type(""), { goesOn: true, said: [] });
  assert.deepEqual(await type("/notify it is late"), { goesOn: true, said: [] });
  assert.deepEqual(await type("again"), { goesOn: true, said: [] });
  assert.deepEqual(await type("/later and this"), { goesOn: true, said: [] });
  assert.deepEqual(await type("!ls -l"), { goesOn: true, said: [] });
  assert.match((await type("! ")).said.join(), /takes a command/);
  assert.deepEqual(await type("/title the site"), { goesOn: true, said: [] });
  assert.deepEqual(await type("/title"), { goesOn: true, said: [] });
  assert.deepEqual(await type("/detach"), { goesOn: false, said: [] });
  assert.deepEqual(asked, [
    ["submit", { parts: [{ type: "text", text: "go" }], submission: "id-1" }],
    ["pause", {}],
    ["notify", { message: "it is late", submission: "id-1" }],
    ["queue", { parts: [{ type: "text", text: "again" }], submission: "id-1", when: "boundary" }],
    ["queue", { parts: [{ type: "text", text: "and this" }], submission: "id-1", when: "run_end" }],
    ["run_command", { command: "ls -l", submission: "id-1" }],
    ["set_title", { title: "the site" }],
    ["set_title", { title: null }],
  ]);
});

test("a line begins with the name of a skill that the Pod's snapshot tells of", async () => {
  const { session, asked, type } = attached();
  const view = viewOf();
  session.snapshot({ ...view, about: { ...view.about, skills: [{ name: "release", description: "d" }] } });
  assert.match((await type("/relase 1.2")).said.join(), /There is no \/relase/);
  assert.deepEqual(await type("/release 1.2"), { goesOn: true, said: [] });
  const parts = [
    { type: "skill_ref", name: "release" },
    { type: "text", text: " 1.2" },
  ];
  assert.deepEqual(asked, [["submit", { parts, submission: "id-1" }]]);
});

test("while no run goes on, what is cancelled is the user's commands", async () => {
  const { asked, type } = attached(null, [
    { id: "s.5", command: "make", output: "" },
    { id: "s.6", command: "sleep 9", output: "" },
  ]);
  assert.deepEqual(await type("/cancel"), { goesOn: true, said: [] });
  assert.deepEqual(asked, [
    ["stop_command", { id: "s.5" }],
    ["stop_command", { id: "s.6" }],
  ]);
});

test("a call that does not fit on the screen is only allowed by its ID", async () => {
  for (const [rows, wanted] of [
    [4, 1],
    [3, 0],
  ] as const) {
    const { session, asked, clock, type } = attached({ columns: 80, rows });
    session.snapshot(viewOf({ approvals: pending.slice(0, 1) }));
    clock.now = justAppearedMs;
    const { said } = await type("/approve");
    assert.equal(asked.length, wanted, said.join());
    if (wanted === 0) assert.match(said.join(), /does not fit on this screen/);
    await type("/approve 01234567");
    assert.equal(asked.length, wanted + 1);
  }
});

test("how a call is answered is said once, whatever becomes of the connection", () => {
  const { session, said } = attached();
  session.snapshot(viewOf({ approvals: pending.slice(0, 1) }));
  session.disconnected("it was killed.");
  session.snapshot(viewOf({ approvals: pending }));
  assert.deepEqual(
    said.filter((text) => text.startsWith("Answer")).map((text) => text.slice(0, 29)),
    ["Answer with /approve 01234567", "Answer with /approve 89abcdef"],
  );
});

test("who attaches is told of a Pod that may do more, or less, than is usual", () => {
  const { about } = viewOf();
  const abouts: readonly (readonly [Partial<PodView["about"]>, string])[] = [
    [{ permission_mode: "allow-in-scope" }, "(idle, m/m, in /w)"],
    [{}, "(idle, m/m, in /w, permission mode ask)"],
    [
      { sandbox: "off", permission_mode: "deny-unlisted" },
      "(idle, m/m, in /w, sandbox off, permission mode deny-unlisted)",
    ],
    [{ network: true, permission_mode: "allow-in-scope" }, "(idle, m/m, in /w, sandbox with network)"],
  ];
  for (const [more, expected] of abouts) {
    const { session, said } = attached();
    session.snapshot(viewOf({ state: "idle", about: { ...about, ...more } }));
    assert.equal(said[0]?.split(". ")[0], `Attached to the Pod p ${expected}`);
  }
});

test("of the alerts before somebody attached the last ones are shown", () => {
  const alerts = Array.from({ length: oldAlertsMax + 1 }, (_, n) => {
    return { type: "alert", level: "warn", source: "host", message: `alert ${n}`, at: 0, n } as const;
  });
  for (const count of [oldAlertsMax, oldAlertsMax + 1]) {
    const { session, shown } = attached();
    session.snapshot(viewOf({ alerts: alerts.slice(0, count) }));
    assert.equal(shown.length, oldAlertsMax);
    assert.match(shown.at(-1) ?? "", new RegExp(`alert ${count - 1}`));
  }
});

test("what is said breaks an open line only on a terminal, and what is typed there ends it", () => {
  const delta = (text: string): Live => ({ type: "delta", request: 4, index: 0, block: "text", text });
  for (const screen of [null, { columns: 80, rows: 24 }]) {
    const { session, shown } = attached(screen);
    session.snapshot(viewOf());
    session.live(delta("one "));
    session.disconnected("it was killed.");
    session.live(delta("two "));
    session.echoed();
    session.live(delta("three"));
    assert.equal(shown.join(""), screen === null ? "  one two three" : "  one \n  two   three");
  }
});

test("without an ID only one that waits alone, and was on the screen, is allowed", async () => {
  const { session, asked, clock, type } = attached();
  assert.match((await type("/approve")).said.join(), /Nothing waits/);
  const [first, second] = digests;
  session.snapshot(viewOf({ approvals: pending.slice(0, 1) }));
  clock.now = justAppearedMs - 1;
  assert.match((await type("/approve")).said.join(), /only just appeared/);
  clock.now = justAppearedMs;
  await type("/approve");
  session.snapshot(viewOf({ approvals: pending }));
  assert.match((await type("/approve")).said.join(), /Several calls wait/);
  assert.match((await type("/approve 11111111")).said.join(), /No call waits under 11111111/);
  await type("/deny 89abcdef not this one");
  assert.deepEqual(asked, [
    ["answer_approval", { digest: first, answer: "allow" }],
    ["answer_approval", { digest: second, answer: "deny", reason: "not this one" }],
  ]);
  // What was answered or is over waits no more.
  const result = {
    type: "tool_result",
    call: callId(4, 0),
    name: "Bash",
    summary: "No.",
    is_error: true,
  } as const;
  session.entry({ kind: "tool_result", item: result, seq: 9, batch: 9, ts: 0 });
  assert.match((await type("/approve 01234567")).said.join(), /No call waits/);
});
