/** One ticket is one folder: what two people append on two branches is merged by git's union driver, and is there once. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { withEvent } from "../../packages/tickets/src/render-event.ts";
import { parseThread } from "../../packages/tickets/src/thread.ts";
import { encodeTicketId } from "../../packages/tickets/src/ticket-id.ts";
import type { TicketEvent } from "../../packages/tickets/src/ticket.ts";

let lastId = 1_780_489_397_001;

/** Threads of a repository of its own, one a directory, on which the same is done at once. */
class Repository {
  readonly #directory = mkdtempSync(join(tmpdir(), "yoi-test-merge-"));
  readonly #count: number;
  /** By thread: what was written anywhere. */
  readonly written: readonly TicketEvent[][];

  constructor(count: number, attributes = "*/thread.md merge=union\n") {
    this.#count = count;
    this.written = Array.from({ length: count }, () => []);
    this.git("init", "--quiet", "--initial-branch=main");
    writeFileSync(join(this.#directory, ".gitattributes"), attributes);
    for (let index = 0; index < count; index += 1) mkdirSync(join(this.#directory, `${index}`));
  }

  git(...words: readonly string[]): void {
    const who = ["-c", "user.name=hare", "-c", "user.email=hare@example.org", "-c", "advice.diverging=false"];
    execFileSync("git", [...who, ...words], {
      cwd: this.#directory,
      stdio: "pipe",
      env: { PATH: process.env["PATH"], HOME: this.#directory, GIT_CONFIG_NOSYSTEM: "1", GIT_EDITOR: "true" },
    });
  }

  threads(): readonly string[] {
    return Array.from({ length: this.#count }, (_, index) => {
      const path = this.#pathOf(index);
      return existsSync(path) ? readFileSync(path, "utf8") : "";
    });
  }

  /** An event in each thread, in one commit; without a body where `bodyOf` gives an empty one. */
  say(author: string, bodyOf: (index: number) => string): void {
    this.threads().forEach((thread, index) => {
      lastId += 1;
      const at = new Date(lastId).toISOString();
      const body = bodyOf(index);
      const kind = body === "" ? "link" : "comment";
      const event: TicketEvent = { id: encodeTicketId(lastId), kind, author, role: "user", at, body };
      this.written[index]?.push(event);
      writeFileSync(this.#pathOf(index), withEvent(thread, event));
    });
    this.git("add", ".");
    this.git("commit", "--quiet", "--message", "x");
  }

  merge(branch: string): void {
    this.git("merge", "--quiet", "--no-edit", branch);
  }

  branch(name: string, from = "HEAD"): void {
    this.git("checkout", "--quiet", "-b", name, from);
  }

  checkout(name: string): void {
    this.git("checkout", "--quiet", name);
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #pathOf(index: number): string {
    return join(this.#directory, `${index}`, "thread.md");
  }
}

/** Each event that was written is there once and whole, and nothing else is said than how its lines stand. Gives how many stand between others. */
function checkWhole(
  repository: Repository,
  isExpected: (event: TicketEvent) => boolean = () => true,
): number {
  let woven = 0;
  repository.threads().forEach((thread, index) => {
    const { events, problems, preamble } = parseThread(thread);
    const byId = (a: TicketEvent, b: TicketEvent) => (a.id < b.id ? -1 : 1);
    assert.deepEqual(
      events.map(({ event }) => event).toSorted(byId),
      (repository.written[index] ?? []).filter(isExpected),
      thread,
    );
    assert.ok(
      events.every(({ sum }) => sum === "good" || sum === "woven"),
      thread,
    );
    const said = problems.filter(({ check }) => check !== "event_woven" && check !== "event_repeated");
    assert.deepEqual([said, preamble], [[], ""], thread);
    woven += events.filter(({ sum }) => sum === "woven").length;
  });
  return woven;
}

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

const casesOfEach = 40;
const trace = ["Error: no", "  at one", "  at two", "  at three", "  at four"].join("\n");

interface Way {
  readonly name: string;
  /** With a thread of one event on main. */
  readonly go: (repository: Repository, say: (author: string) => void) => void;
}

const ways: readonly Way[] = [
  {
    name: "two people comment on two branches",
    go: (repository, say) => {
      repository.branch("other");
      say("fox");
      repository.checkout("main");
      say("hare");
      repository.merge("other");
    },
  },
  {
    name: "several comments on each of three branches",
    go: (repository, say) => {
      for (const [author, count] of [
        ["fox", 2],
        ["owl", 3],
      ] as const) {
        repository.branch(author, "main");
        for (let said = 0; said < count; said += 1) say(author);
        repository.checkout("main");
      }
      say("hare");
      say("hare");
      repository.merge("fox");
      repository.merge("owl");
    },
  },
  {
    name: "a branch of three commits is rebased",
    go: (repository, say) => {
      repository.branch("other");
      for (let said = 0; said < 3; said += 1) say("fox");
      repository.checkout("main");
      say("hare");
      repository.checkout("other");
      repository.git("rebase", "--quiet", "main");
    },
  },
  {
    name: "a branch is merged as one commit, goes on, and is merged again",
    go: (repository, say) => {
      repository.branch("other");
      say("fox");
      say("fox");
      repository.checkout("main");
      say("hare");
      repository.git("merge", "--quiet", "--squash", "other");
      repository.git("commit", "--quiet", "--message", "squashed");
      repository.checkout("other");
      say("fox");
      repository.checkout("main");
      say("hare");
      repository.merge("other");
    },
  },
  {
    name: "two commits are picked in the other order, and then their branch is merged",
    go: (repository, say) => {
      repository.branch("other");
      say("fox");
      say("fox");
      repository.checkout("main");
      say("hare");
      repository.git("cherry-pick", "--allow-empty", "--keep-redundant-commits", "other");
      repository.git("cherry-pick", "--allow-empty", "--keep-redundant-commits", "other~1");
      repository.merge("other");
    },
  },
  {
    name: "two branches merge each other before they go on, and are merged",
    go: (repository, say) => {
      repository.branch("other");
      say("fox");
      repository.branch("before");
      repository.checkout("main");
      say("hare");
      repository.branch("main-before");
      repository.checkout("other");
      repository.merge("main-before");
      say("fox");
      repository.checkout("main");
      repository.merge("before");
      say("hare");
      repository.merge("other");
    },
  },
];

for (const { name, go } of ways)
  test(`${name}: each comment is there once, whole`, () => {
    using repository = new Repository(casesOfEach);
    const body = bodies(9);
    const say = (author: string) => {
      repository.say(author, (index) => {
        if (index % 8 === 0) return "";
        return index % 3 === 0 ? body(12) : `${body(4)}\n${trace}\n${body(4)}`;
      });
    };
    say("hare");
    go(repository, say);
    assert.ok(
      checkWhole(repository) > 0,
      "no lines came to stand between others: the bodies have too little in common",
    );
  });

test("two reports that show the same 2,000 lines", () => {
  using repository = new Repository(1);
  const run = Array.from({ length: 2_000 }, (_, at) => `ok ${at} - as it did before`).join("\n");
  repository.say("hare", () => "Do it.");
  repository.branch("other");
  repository.say("fox", () => "First.");
  repository.say("fox", () => `On Linux.\n${run}\nfox`);
  repository.checkout("main");
  repository.say("hare", () => `On a Mac.\n${run}\nhare`);
  repository.merge("other");
  assert.equal(checkWhole(repository), 2);
});

test("control: without the attribute the same two comments do not merge", () => {
  for (const [attributes, merges] of [
    ["", false],
    ["*/thread.md merge=union\n", true],
  ] as const) {
    using repository = new Repository(1, attributes);
    repository.say("hare", () => "x");
    repository.branch("other");
    repository.say("fox", () => "y");
    repository.checkout("main");
    repository.say("hare", () => "z");
    const merge = () => repository.merge("other");
    if (merges) assert.doesNotThrow(merge);
    else assert.throws(merge, /Command failed/);
  }
});
