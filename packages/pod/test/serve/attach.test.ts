/** Attaching: every record, one snapshot, then the present. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LineClient, served, text } from "./support.ts";

describe("attaching to a served Pod", () => {
  test("a client gets the records, one snapshot, and then what happens", async () => {
    await using it = await served({ scenario: JSON.stringify({ steps: [{ text: "Hello there." }] }) });
    const client = await LineClient.hello(await it.place.connect());
    await client.snapshot();
    assert.equal(client.view?.seq, it.pod.snapshot.lastSeq);
    const answer = await client.ask("submit", { parts: text("hi"), submission: "s1" });
    await client.liveOf("run_ended");
    assert.deepEqual(answer, { id: "4", duplicate: false });
    assert.deepEqual(
      client.entries.map(({ seq }) => seq),
      Array.from({ length: it.pod.snapshot.lastSeq + 1 }, (_, seq) => seq),
    );
  });
});
