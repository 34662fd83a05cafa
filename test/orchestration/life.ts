/** One ticket from the queue to the merge, with a kill on the way, and what has to be true of it at the end whatever was killed. */
import assert from "node:assert/strict";
import { commitTitles, type TicketPod, ticketPods } from "../../packages/cli/src/demo/tickets-steps.ts";
import { type Choices, Scene } from "./scene.ts";

export interface Life extends Choices {
  /** Of the moment. */
  readonly name: string;
  readonly at: (scene: Scene) => boolean;
  readonly kills: readonly TicketPod[];
}

export async function live({ name, at, kills, ...choices }: Life): Promise<void> {
  await using scene = new Scene();
  await scene.begin(choices);
  const begin = scene.git("rev-parse", "main");
  await scene.queue();
  await scene.until(name, () => at(scene));
  for (const pod of kills) scene.kill(pod);
  scene.write({ ...choices, held: null });
  scene.go();
  if (kills.includes("lead")) await scene.restore();
  await scene.until("the orchestrator says what is left", () =>
    scene.said("lead", "Left for you: git merge"),
  );
  assert.equal(scene.git("rev-parse", "main"), begin, "nobody merged");
  await checkEnd(scene, choices.closes);
  await finish(scene, choices.closes);
}

/** Of all that the Pods did. */
async function checkEnd(scene: Scene, closes: boolean): Promise<void> {
  const { ticket } = scene;
  assert.deepEqual(
    scene
      .events()
      .map(({ kind, author, role, to, status }) =>
        [kind, author, role, to ?? status].filter((one) => one !== undefined).join(" "),
      ),
    [
      "create hare user planning",
      "state_changed hare user ready",
      "state_changed hare user queued",
      "state_changed lead orchestrator inprogress",
      "implementation_report coder coder",
      "review reviewer reviewer request_changes",
      "implementation_report coder coder",
      "review reviewer reviewer approve",
      "state_changed lead orchestrator done",
      ...(closes ? ["close lead orchestrator closed"] : []),
    ],
  );
  assert.deepEqual(scene.clones(), [ticket], "one clone");
  const titles = scene.git("log", "--reverse", "--format=%s", `main..${scene.branch()}`).split("\n");
  assert.deepEqual(titles, commitTitles);
  assert.deepEqual([scene.passes("main"), scene.passes(scene.branch())], [false, true], "the tests");
  const refused = scene.results("coder", "TicketTransition");
  assert.deepEqual(
    refused.map(({ is_error }) => is_error),
    [true],
    "the coder does not say that it is done",
  );
  checkTold(scene);
  await scene.yoi("pod", "stop", ticketPods.lead);
  const { pods } = JSON.parse(await scene.yoi("tree", ticketPods.lead, "--json")) as {
    pods: { lent: unknown[]; children: { name: string; state: string; loan: { state: string } }[] }[];
  };
  assert.deepEqual(pods[0]?.lent, []);
  assert.deepEqual(
    pods[0]?.children.map(({ name, loan }) => [name, loan.state]),
    [
      ["coder", "stopped"],
      ["reviewer", "stopped"],
    ],
  );
  await scene.yoi("ticket", "doctor");
  for (const pod of Object.values(ticketPods)) await scene.yoi("pod", "verify", pod, "--wire");
}

/** Each event that the orchestrator did not make itself came to it once. */
function checkTold(scene: Scene): void {
  const told = scene
    .log("lead")
    .filter(({ kind }) => kind === "inbox_accepted")
    .flatMap(({ item }) => {
      const { source, body } = item as { source: string; body: string };
      return source === "builtin:tickets"
        ? [...body.matchAll(/^([0-9A-Z]{13}) \w+ by/gm)].map(([, id]) => id)
        : [];
    });
  const events = scene.events().slice(2);
  assert.deepEqual(
    told,
    events.filter(({ author }) => author !== "lead").map(({ id }) => id),
  );
}

/** What is left for the person. */
async function finish(scene: Scene, isClosed: boolean): Promise<void> {
  scene.git("merge", "--quiet", scene.branch());
  if (!isClosed) await scene.yoi("ticket", "close", scene.ticket, "--resolution", "Merged.");
  assert.equal(scene.passes("main"), true);
  await scene.yoi("ticket", "doctor");
}
