/** Skills at the composer: what a line that names one sends, what is offered for it, and whose skills count. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { InputPart } from "@yoi/base";
import type { SkillOffer } from "@yoi/protocol";
import { composerOf, composerOfParts, partsOf, textOf } from "../../src/composer/composer.ts";
import { skillsOf, type UiState } from "../../src/app/state.ts";
import type { PodSession } from "../../src/session/session.ts";
import { noPod, pressed, told, withPod } from "./support/states.ts";

const release: SkillOffer = { name: "release", description: "How a release is made." };
const review: SkillOffer = { name: "review", description: "How changes are read here." };

const about = {
  version: "0.0.0",
  model: "scripted/x",
  workspace: "/w",
  sandbox: "on",
  network: false,
  permission_mode: "ask",
  tools: [],
  skills: [release, review],
} as const satisfies PodSession["about"];
const idle = withPod({ about });

/** What goes to the Pod, as what, and what is said. */
function sent(state: UiState, ...keys: readonly string[]) {
  const { state: end, effects } = pressed(state, ...keys);
  const asks = effects.flatMap((one) =>
    one.type === "ask" && one.ask.kind === "send" ? [one.ask.what] : [],
  );
  return { asks, says: end.notices.map(({ text }) => text), composer: textOf(end.composer), state: end };
}

const loads = (name: string, ...rest: readonly InputPart[]): readonly InputPart[] => [
  { type: "skill_ref", name },
  ...rest,
];
const args: InputPart = { type: "text", text: " 1.2" };

test("the name of a skill sends a prompt that loads it, and the name of a command stays the command's", () => {
  assert.deepEqual(sent(idle, '"/release 1.2"', "enter").asks, [
    { as: "submit", parts: loads("release", args) },
  ]);
  const own = sent(idle, '"/review 1.2"', "enter").asks;
  assert.equal(own[0]?.as === "submit" && own[0].parts[0]?.type, "text");
  assert.deepEqual(sent(idle, '"/skill review 1.2"', "enter").asks, [
    { as: "submit", parts: loads("review", args) },
  ]);
});

test("while a run goes on it waits as any input, and what is behind the run too", () => {
  const running = withPod({ about, state: "running" });
  const queued = (when: "boundary" | "run_end") => [{ as: "queue", parts: loads("release", args), when }];
  assert.deepEqual(sent(running, '"/release 1.2"', "enter").asks, queued("boundary"));
  assert.deepEqual(sent(running, '"/release 1.2"', "alt+enter").asks, queued("run_end"));
  assert.deepEqual(sent(running, '"/queue /release 1.2"', "enter").asks, queued("run_end"));
});

test("one that is not there is said with what was probably meant, and stays where it was written", () => {
  const { asks, says, composer } = sent(idle, '"/relase 1.2"', "enter");
  assert.deepEqual(
    { asks, says, composer },
    {
      asks: [],
      says: ["There is no /relase: did you mean /release; a space in front makes a prompt of the line."],
      composer: "/relase 1.2",
    },
  );
  const spelt = sent(idle, '"/skill relase"', "enter");
  assert.deepEqual(
    [spelt.asks, spelt.says, spelt.composer],
    [[], ["There is no skill relase: did you mean release. Nothing was sent."], "/skill relase"],
  );
});

test("one that came since is found when it is sent, also where the line was pasted or is typed at once; else it is said", () => {
  const fresh = { name: "fresh", description: "How things are kept fresh." };
  for (const [typed, parts, says] of [
    ["/fresh now", loads("fresh", { type: "text", text: " now" }), "There is no /fresh: /help shows"],
    ["/skill fresh", loads("fresh"), "There is no skill fresh: /skills shows"],
  ] as const) {
    const asked = pressed({ ...idle, composer: composerOf(typed) }, "enter");
    assert.deepEqual(asked.effects, [{ type: "list_skills" }]);
    assert.deepEqual([textOf(asked.state.composer), asked.state.notices], [typed, []]);
    const found = told(asked.state, { type: "skills", skills: [fresh] });
    const sends = found.effects.flatMap((one) =>
      one.type === "ask" && one.ask.kind === "send" ? [one.ask.what] : [],
    );
    assert.deepEqual(sends, [{ as: "submit", parts }]);
    const none = told(asked.state, { type: "skills", skills: [] });
    assert.deepEqual(none.effects, []);
    assert.equal(textOf(none.state.composer), typed);
    assert.ok(none.state.notices[0]?.text.startsWith(says), none.state.notices[0]?.text);
    // Once: and not what was written since.
    const since = pressed(asked.state, '"x"').state;
    assert.deepEqual(told(since, { type: "skills", skills: [fresh] }).effects, []);
  }
});

test("the history has it as it can be sent again", () => {
  for (const [typed, kept] of [
    ["/release 1.2", "/release 1.2"],
    ["/skill release 1.2", "/release 1.2"],
    ["/skill review 1.2", "/skill review 1.2"],
  ]) {
    const { effects, state } = pressed(idle, `"${typed}"`, "enter");
    assert.deepEqual(
      effects.filter(({ type }) => type === "add_history"),
      [{ type: "add_history", text: kept }],
    );
    const again = sent(state, "up", "enter").asks;
    assert.deepEqual(again, sent(idle, `"${typed}"`, "enter").asks, typed);
  }
});

test("what was gone back to, or waited, is sent again as what it was", () => {
  for (const name of ["release", "review"]) {
    const parts = loads(name, args);
    const back = { ...idle, composer: composerOfParts(parts) };
    assert.deepEqual(sent(back, "enter").asks, [{ as: "submit", parts }]);
  }
});

test("skills are those that the open Pod tells of, and those of a new one where none is open", () => {
  const later = told(noPod, { type: "first_run", why: null, skills: [release] }).state;
  assert.deepEqual(skillsOf(later), [release]);
  assert.deepEqual(skillsOf(told(noPod, { type: "skills", skills: [review] }).state), [review]);
  assert.deepEqual(skillsOf(withPod({}, later)), [release]);
});

test("what was written since the Pod was opened counts where that Pod reads the same folders", () => {
  const notes: SkillOffer = { name: "notes", description: "How notes are kept." };
  const later = { ...noPod, skills: [{ ...release, description: "It changed." }, notes] };
  const of = (more: Partial<NonNullable<PodSession["about"]>>) =>
    skillsOf(withPod({ about: { ...about, ...more } }, later));
  assert.deepEqual(of({}), [release, review, notes]);
  assert.deepEqual(of({ workspace: "/elsewhere" }), [release, review]);
  // One of another version may take none.
  const { skills: _, ...before } = about;
  assert.deepEqual(skillsOf(withPod({ about: { ...before, version: "0.0.1" } }, later)), []);
});

test("they are looked for anew when a line begins that may name one, and the list shows what came", () => {
  const looks = (typed: string) =>
    pressed(idle, `"${typed}"`).effects.filter(({ type }) => type === "list_skills").length;
  assert.deepEqual(
    [looks("/"), looks("/rel"), looks(":re"), looks("see /rel"), looks("hello")],
    [1, 1, 1, 0, 0],
  );
  const typed = pressed(idle, '"/no"').state;
  const labels = (state: UiState) => state.completion?.items.map(({ label }) => label);
  const came = told(typed, { type: "skills", skills: [{ name: "notes", description: "" }] }).state;
  assert.deepEqual(labels(came), [
    ...(labels(typed) ?? []).slice(0, 1),
    "/notes",
    ...(labels(typed) ?? []).slice(1),
  ]);
  const chosen = pressed(typed, "down").state;
  const after = told(chosen, { type: "skills", skills: [{ name: "notes", description: "" }] }).state;
  assert.deepEqual(after.completion, chosen.completion);
  const sentNow = sent(came, '"tes now"', "enter").asks;
  assert.deepEqual(sentNow, [{ as: "submit", parts: loads("notes", { type: "text", text: " now" }) }]);
});

test("a prompt that the first Pod is begun with loads one, though it is written before skills are known", () => {
  const looks: UiState = { ...noPod, looksForModel: true };
  const given: UiState = { ...looks, composer: composerOf("/release 1.2"), sendsFirst: true };
  const typed = pressed(looks, '"/release 1.2"', "enter").state;
  for (const waits of [given, typed]) {
    assert.deepEqual([textOf(waits.composer), waits.notices], ["/release 1.2", []]);
    const { state } = told(waits, { type: "first_run", why: null, skills: [release] });
    assert.deepEqual(
      state.unsent.map(({ composer }) => partsOf(composer)),
      [loads("release", args)],
    );
    const without = told(waits, { type: "first_run", why: null, skills: [] }).state;
    assert.deepEqual([without.unsent, textOf(without.composer)], [[], "/release 1.2"]);
    assert.match(without.notices[0]?.text ?? "", /^There is no \/release:/);
  }
});

test("completion offers skills with the commands, and behind those that begin so", () => {
  const listed = (typed: string) =>
    pressed(idle, `"${typed}"`).state.completion?.items.map(({ label, detail }) => [label, detail]);
  assert.deepEqual(listed("/rel"), [["/release", "skill: How a release is made."]]);
  assert.deepEqual(listed("/revi"), [
    ["/review [WHAT]", "Ask for a review of the changes, or of what you name."],
    ["/review", "skill: How changes are read here."],
  ]);
  assert.deepEqual(listed("/skill re"), [
    ["release", "How a release is made."],
    ["review", "How changes are read here."],
  ]);
  const taken = (typed: string, ...keys: readonly string[]) =>
    textOf(pressed(idle, `"${typed}"`, ...keys).state.composer);
  assert.equal(taken("/rel", "tab"), "/release ");
  assert.equal(taken("/revi", "down", "tab"), "/skill review ");
  assert.equal(taken("/skill rel", "tab"), "/skill release ");
});
