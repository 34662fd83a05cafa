/** The whole way of a ticket through three Pods on a real repository: from the queue to the branch that a person merges, with Pods killed on the way. */
import assert from "node:assert/strict";
import test from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { proofTest } from "../support/proof.ts";
import { orchestration } from "./orchestration.proof.ts";
import { Scene } from "./scene.ts";

const reason = noBubblewrap();
if (reason === false) proofTest(orchestration);
else test(orchestration.name, { skip: reason });

test(
  "control: without the role of an orchestrator the same model takes no ticket and starts no coder",
  { skip: reason },
  async () => {
    await using scene = new Scene();
    await scene.begin({ held: null, waits: null, closes: false, role: "intake" });
    await scene.queue();
    await scene.yoi("pod", "send", "lead", `Ticket ${scene.ticket} went from ready to queued.`, "--wait");
    const refused = ["TicketTransition", "SpawnPod"].flatMap((tool) => scene.results("lead", tool));
    assert.deepEqual(
      refused.map(({ is_error, summary }) => [is_error, /intake/.test(summary)]),
      [
        [true, true],
        [true, true],
      ],
      JSON.stringify(refused),
    );
    assert.equal(scene.events().at(-1)?.["to"], "queued");
    assert.deepEqual(scene.log("coder"), []);
  },
);
