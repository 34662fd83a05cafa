/** Titles: what is one, and that it goes with the Pod, hosted or not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import { titleCharsMax } from "@yoi/protocol";
import { openSimulated, simulatedPod, simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { checkedTitle, setTitleClosed } from "../../src/discovery/title.ts";
import { LineClient, served } from "../serve/support.ts";

test("a title is one line that can be read", () => {
  assert.equal(checkedTitle(null), null);
  assert.equal(checkedTitle("  The login bug 👩‍💻 "), "The login bug 👩‍💻");
  assert.equal(checkedTitle("t".repeat(titleCharsMax))?.length, titleCharsMax);
  const refused: readonly (readonly [title: string, code: string])[] = [
    ["", "usage"],
    ["  ", "usage"],
    ["two\nlines", "usage"],
    ["\u001b[31mred", "usage"],
    ["turned \u202e round", "usage"],
    ["half \ud800", "usage"],
    ["t".repeat(titleCharsMax + 1), "limit_exceeded"],
  ];
  for (const [title, code] of refused)
    assert.throws(() => checkedTitle(title), { code }, JSON.stringify(title));
});

test("a title is set by a client of a hosted Pod, seen by all, kept over a restart, changed while it is stopped, and taken away", async () => {
  const host = memoryHost({ seed: 1 });
  const leases = new Map();
  const first = await served({ host, leases });
  const client = await LineClient.hello(await first.place.connect());
  await client.snapshot();
  assert.deepEqual(await client.ask("set_title", { title: " The login bug " }), {});
  assert.deepEqual(
    client.live.filter(({ type }) => type === "title"),
    [{ type: "title", title: "The login bug" }],
  );
  const refused = (await client.ask("set_title", { title: "a\nb" })) as { readonly cause: string };
  assert.equal(refused.cause, "usage");
  const stores = simulatedStores(host, leases);
  await assert.rejects(setTitleClosed(stores, simulatedPod, "held"), { code: "pod_held" });
  await first.pod.close();
  const titled = (await stores.pods.read(simulatedPod))?.title;
  assert.equal(titled, "The login bug");
  await setTitleClosed(stores, simulatedPod, "Another");
  const second = await served({ host, leases });
  const other = await LineClient.hello(await second.place.connect());
  await other.snapshot();
  assert.equal(other.view?.title, "Another");
  assert.equal(other.view?.pod, simulatedPod);
  assert.deepEqual(await other.ask("set_title", { title: null }), {});
  assert.equal("title" in ((await other.ask("show")) as object), false);
  await second.pod.close();
  const record = await stores.pods.read(simulatedPod);
  assert.equal(record !== null && "title" in record, false);
  // Whoever opens it knows nothing of titles, and keeps none.
  const third = await openSimulated({ host, leases, scenario: "steps: []", tools: [] });
  await third.close();
});
