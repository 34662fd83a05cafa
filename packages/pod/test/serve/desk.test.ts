/** What the desk lets through and what it makes of it, before a Pod that answers when the test lets it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Call, type PodView, readPodLine, type Role } from "@yoi/protocol";
import { Submissions } from "../../src/inbox/submissions.ts";
import { RequestDesk } from "../../src/serve/request-desk.ts";
import type { ServedPod } from "../../src/serve/served-pod.ts";
import { eventfulPod } from "./eventful-pod.ts";
import { child, text } from "./support.ts";

function deskBefore(more: Partial<ServedPod> & { driveState?: ServedPod["driveState"] }) {
  const { pod } = eventfulPod();
  const own = Object.fromEntries(
    Object.entries(more).map(([name, value]) => [name, { value, writable: true }]),
  );
  const served = Object.create(pod, own) as ServedPod & { driveState: ServedPod["driveState"] };
  const view = () => ({ pod: "p", approvals: [] }) as unknown as PodView;
  const desk = new RequestDesk({ pod: served, view, redact: (said) => said, shutdown: () => {} });
  /** Resolves with the answer: its result, or the code of its error. */
  const ask = (role: Role, call: object): Promise<unknown> =>
    new Promise((resolve) => {
      void desk.answer(
        role === "child" ? { role, child } : { role },
        { id: "r", ...call } as Call,
        ({ bytes }) => {
          const line = readPodLine(bytes.subarray(0, -1));
          resolve("error" in line ? line.error.code : "result" in line ? line.result : line);
        },
      );
    });
  return { served, desk, ask };
}

test("a notification has the role that sent it as its source", async () => {
  const sources: string[] = [];
  const { ask } = deskBefore({
    notify: async ({ source }) => {
      sources.push(source);
      return { id: "7", duplicate: false };
    },
  });
  for (const role of ["user", "peer", "send_only"] as const) {
    const call = { method: "notify", params: { message: "m", submission: role } };
    assert.deepEqual(await ask(role, call), { id: "7", duplicate: false });
  }
  assert.deepEqual(sources, ["user", "peer", "send_only"]);
});

test("a Pod that closes still says how it is, and takes nothing", async () => {
  const { desk, ask } = deskBefore({});
  desk.close();
  const answers = [];
  for (const [method, params] of Object.entries({
    ping: { text: "x" },
    show: {},
    submit: { parts: text("go"), submission: "s" },
    notify: { message: "m", submission: "n" },
    cancel: {},
    shutdown: {},
  }))
    answers.push(await ask("user", { method, params }));
  assert.deepEqual(answers.slice(0, 2), [{ text: "x" }, { pod: "p", approvals: [] }]);
  assert.deepEqual(answers.slice(2), Array(4).fill("closing"));
});

test("a name that is being accepted is known until that is over: its repeat shares what becomes of it, whatever runs", async () => {
  const accepted = Promise.withResolvers<string>();
  const submissions = new Submissions({ state: { submissions: new Map() } }, (said) => said);
  const ended = new Promise<never>(() => {});
  const { served, ask } = deskBefore({
    driveState: "idle",
    knowsSubmission: (name) => submissions.knows(name),
    begin: async (parts, { submission }) => {
      const { duplicate, id } = await submissions.once(submission, parts, () => accepted.promise);
      return duplicate ? { duplicate, id } : { duplicate, run: { id, ended } };
    },
  });
  const submit = () => ask("user", { method: "submit", params: { parts: text("go"), submission: "s" } });
  const first = submit();
  served.driveState = "running";
  const repeat = submit();
  accepted.resolve("4");
  assert.deepEqual(await Promise.all([first, repeat]), [
    { id: "4", duplicate: false },
    { id: "4", duplicate: true },
  ]);
  assert.equal(await submit(), "already_running", "control: a name that nobody knows has to wait");
});
