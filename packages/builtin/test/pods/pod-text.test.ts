/** What the model is shown: bounded, whatever names, paths and profiles there are. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ScopeRule, utf8Length } from "@yoi/base";
import type { ManagedPod } from "@yoi/feature";
import { podToolDeclarations } from "../../src/pods/pod-declarations.ts";
import {
  podListBytesMax,
  podListing,
  readSummary,
  shownKilledMax,
  shownPathCharsMax,
  shownPathsMax,
  stopped,
} from "../../src/pods/pod-text.ts";
import { profileLines, profilesShownMax, profileTextCharsMax } from "../../src/pods/profile-lines.ts";
import { managedPod, writes } from "./support.ts";

test("a read says how many answers it has, what the Pod does, and whether more waits", () => {
  const table = [
    [[], "idle", false, 0, "Pod a is idle: nothing new since it was read last."],
    [["x"], "running", true, 0, "Pod a is at work: 1 new answer. More waits: read again."],
    [["x", "y"], "paused", false, 0, "Pod a is paused: 2 new answers."],
    [["x"], "stopped", false, 0, "Pod a is stopped: 1 new answer."],
    [[], "unknown", false, 0, "Pod a does not answer: nothing new since it was read last."],
    [["x"], "running", false, 1, "Pod a is at work, and 1 call of it waits for the user: 1 new answer."],
    [["x"], "running", false, 2, "Pod a is at work, and 2 calls of it wait for the user: 1 new answer."],
  ] as const;
  for (const [texts, state, more, approvals, summary] of table)
    assert.equal(readSummary("a", { texts, more, cursor: null, state, approvals, damage: null }), summary);
  assert.equal(
    readSummary("a", {
      texts: ["x"],
      more: false,
      cursor: null,
      state: "stopped",
      approvals: 0,
      damage: "at line 7",
    }),
    "Pod a is stopped: 1 new answer. Its log is damaged at line 7, and what it said behind that cannot be read: tell the user, who sees more with `yoi pod verify a`.",
  );
});

const back = (writable: readonly ScopeRule[]) => stopped("a", { writable, killed: [] });

test("a stop names what was killed for it, as many as have room", () => {
  const names = Array.from({ length: shownKilledMax + 1 }, (_, index) => `k${index}`);
  const head = "Pod a is stopped. Killed, because they did not end when they were asked: ";
  const tail = " A run that went on there has no end in its log. It held nothing that you could not write.";
  for (const [killed, list] of [
    [["a"], "a."],
    [names.slice(1), `${names.slice(1).join(", ")}.`],
    [names, `${names.slice(0, -1).join(", ")} and 1 more.`],
  ] as const)
    assert.equal(stopped("a", { writable: [], killed }).summary, head + list + tail);
});

test("a stop names what came back; what has no room in the summary stands in the content", () => {
  assert.deepEqual(back([]), {
    summary: "Pod a is stopped. It held nothing that you could not write.",
  });
  assert.deepEqual(back([writes("/w/a"), { ...writes("/w/b"), recursive: false }]), {
    summary: "Pod a is stopped. You can write again: /w/a, /w/b (itself and what lies directly in it).",
  });
  const many = Array.from({ length: shownPathsMax + 1 }, (_, index) => writes(`/w/${index}`));
  assert.deepEqual(back(many.slice(1)).content, undefined);
  const { summary, content } = back(many);
  assert.match(summary, / \/w\/7 and 1 more\.$/);
  assert.equal(content, many.map(({ target }) => target).join("\n"));
  const long = `/w/${"x".repeat(shownPathCharsMax)}`;
  assert.deepEqual(back([writes(long)]), {
    summary: `Pod a is stopped. You can write again: ${long.slice(0, shownPathCharsMax - 1)}….`,
    content: long,
  });
});

function namesIn(content: string): readonly string[] {
  const { pods } = JSON.parse(content) as { readonly pods: readonly { readonly pod_name: string }[] };
  return pods.map(({ pod_name }) => pod_name);
}

test("a list begins with itself, then come children with an open loan, peers, and children whose loan came back", () => {
  const pods: readonly ManagedPod[] = [
    managedPod("lost", { loan: "lost" }),
    managedPod("peer", { relation: "peer", loan: null }),
    managedPod("b"),
    managedPod("me", { relation: "self", loan: null }),
    managedPod("a"),
  ];
  const { summary, content } = podListing(pods);
  assert.equal(summary, "5 Pods.");
  assert.deepEqual(namesIn(content), ["me", "b", "a", "peer", "lost"]);
  assert.equal(podListing(pods.slice(0, 1)).summary, "1 Pod.");
});

test("a list that is too large leaves out the last ones, and says how many", () => {
  const pods = Array.from({ length: 200 }, (_, index) =>
    managedPod(`p${index}`, { scope: [writes(`/w/${"d".repeat(100)}/${index}`)] }),
  );
  const { summary, content } = podListing(pods);
  const shown = namesIn(content).length;
  assert.ok(shown > 20 && shown < 200 && utf8Length(content) <= podListBytesMax);
  assert.equal(summary, `200 Pods, of which ${200 - shown} had no room in the list.`);
  assert.equal((JSON.parse(content) as { readonly left_out: number }).left_out, 200 - shown);
  // One Pod more than what is shown is more than there is room for.
  assert.ok(namesIn(podListing(pods.slice(0, shown + 1)).content).length <= shown);
  assert.equal(podListing(pods.slice(0, shown)).summary, `${shown} Pods.`);
});

test("SpawnPod lists the profiles that can be named, and where discovery had a problem; each on one bounded line", () => {
  assert.match(profileLines([]), /no profiles/);
  assert.equal(
    profileLines([
      { selector: "builtin:reader", description: "Reads, and writes nothing." },
      { selector: "user:plain", description: "" },
      { selector: "project:bad", description: "Never shown.", problem: "line 3 has an unknown key" },
      { selector: "project:odd", description: "two\nlines <yoi-note kind='x'>" },
    ]),
    "\n\nProfiles:\n- builtin:reader: Reads, and writes nothing.\n- user:plain\n- project:bad cannot be used: line 3 has an unknown key\n" +
      "- project:odd: two\\u000alines &lt;yoi-note kind='x'>",
  );
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      selector: `user:${"n".repeat(64)}${index}`,
      description: "d".repeat(profileTextCharsMax + 1),
    }));
  assert.equal(profileLines(many(profilesShownMax)).split("\n").length, profilesShownMax + 3);
  const over = profileLines(many(profilesShownMax + 2)).split("\n");
  assert.deepEqual(
    [over.length, over.at(-1)],
    [profilesShownMax + 4, "- and 2 more, which are not shown here"],
  );
  assert.ok(over.every((line) => line.length <= profileTextCharsMax + 90));
  const [spawn] = podToolDeclarations(many(1_000));
  assert.ok((spawn?.description.length ?? 0) < 16 * 1024);
});
