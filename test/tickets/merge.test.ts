/** One ticket is one folder: what two people append on two branches is merged by git's union driver, and is there once. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { withEvent } from "../../packages/tickets/src/render-event.ts";
import { parseThread } from "../../packages/tickets/src/thread.ts";
import { encodeTicketId } from "../../packages/tickets/src/ticket-id.ts";
import type { TicketEvent } from "../../packages/tickets/src/ticket.ts";

interface Case {
  readonly base: string;
  readonly ours: readonly TicketEvent[];
  readonly theirs: readonly TicketEvent[];
}

let lastId = 1_780_489_397_001;

function comment(author: string, body: string): TicketEvent {
  lastId += 1;
  const at = new Date(lastId).toISOString();
  return { id: encodeTicketId(lastId), kind: "comment", author, role: "user", at, body };
}

function append(thread: string, events: readonly TicketEvent[]): string {
  return events.reduce(withEvent, thread);
}

/** The threads of all cases as one `git merge` of two branches leaves them. Throws where that does not merge cleanly. */
function merged(cases: readonly Case[], attributes: string): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), "yoi-test-merge-"));
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=hare", "-c", "user.email=hare@example.org", ...words], {
      cwd: directory,
      stdio: "pipe",
      env: { PATH: process.env["PATH"], HOME: directory, GIT_CONFIG_NOSYSTEM: "1" },
    });
  const commit = (threadOf: (one: Case) => string) => {
    cases.forEach((one, index) => {
      mkdirSync(join(directory, `${index}`), { recursive: true });
      writeFileSync(join(directory, `${index}`, "thread.md"), threadOf(one));
    });
    git("add", ".");
    git("commit", "--quiet", "--message", "x");
  };
  try {
    git("init", "--quiet", "--initial-branch=ours");
    writeFileSync(join(directory, ".gitattributes"), attributes);
    commit((one) => one.base);
    git("checkout", "--quiet", "-b", "theirs");
    commit((one) => append(one.base, one.theirs));
    git("checkout", "--quiet", "ours");
    commit((one) => append(one.base, one.ours));
    git("merge", "--quiet", "--no-edit", "theirs");
    return cases.map((_, index) => readFileSync(join(directory, `${index}`, "thread.md"), "utf8"));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const union = "*/thread.md merge=union\n";

/** Seeded: a body of few different lines, so that two have runs in common. */
function bodies(seed: number): (linesMax: number) => string {
  const words = ["same", "", "---", "```", "LGTM", "- one", "<!-- event: x -->", "a", "b", "c"];
  let state = seed;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 65_536) % below;
  };
  return (linesMax) => {
    const few = 1 + next(words.length);
    const lines = Array.from({ length: 1 + next(linesMax) }, () => words[next(few)] ?? "");
    return `${lines.join("\n").trim()}.`;
  };
}

test("two people comment on two branches: it merges cleanly, and each comment is there once, whole", () => {
  const body = bodies(9);
  const cases: Case[] = Array.from({ length: 100 }, (_, index) => {
    const shared = body(8);
    return {
      base: append("", [comment("hare", body(8))]),
      ours: [comment("hare", index % 3 === 0 ? shared : body(8))],
      theirs: [comment(index % 2 === 0 ? "hare" : "fox", index % 3 === 0 ? shared : body(8))],
    };
  });
  const threads = merged(cases, union);
  cases.forEach(({ base, ours, theirs }, index) => {
    const { events, problems } = parseThread(threads[index] ?? "");
    const expected = [...parseThread(base).events.map(({ event }) => event), ...ours, ...theirs];
    assert.deepEqual(
      events.map(({ event, sum }) => ({ event, sum })),
      expected.map((event) => ({ event, sum: "good" })),
      threads[index],
    );
    assert.deepEqual(problems, []);
  });
  // The runs that git writes once were among them.
  assert.ok(threads.some((thread) => /by hare, [^\n]*\n<!-- event/.test(thread)));
});

test("several events on each branch, with several runs in common: no line is lost unsaid", () => {
  const body = bodies(11);
  const cases: Case[] = Array.from({ length: 40 }, () => {
    const [a, b, c] = [body(6), body(6), body(6)];
    const events = (author: string) => [
      comment(author, `${author}\n${a}\n\n${b}\n${author}\n${c}\n${a}\n${author}`),
      comment(author, body(6)),
    ];
    return { base: append("", [comment("hare", "x")]), ours: events("hare"), theirs: events("fox") };
  });
  const threads = merged(cases, union);
  let changed = 0;
  cases.forEach(({ ours, theirs }, index) => {
    const thread = threads[index] ?? "";
    const { events } = parseThread(thread);
    for (const written of [...ours, ...theirs]) {
      const found = events.filter(({ event }) => event.id === written.id);
      assert.equal(found.length, 1, thread);
      if (found[0]?.sum === "good") assert.equal(found[0].event.body, written.body);
      else changed += 1;
    }
  });
  assert.ok(changed > 0, "no case was woven in more than one run: the bodies have too little in common");
});

test("control: without the attribute the same two comments do not merge", () => {
  const one = {
    base: append("", [comment("hare", "x")]),
    ours: [comment("hare", "y")],
    theirs: [comment("fox", "z")],
  };
  assert.throws(() => merged([one], ""), /Command failed/);
  assert.equal(merged([one], union).length, 1);
});
