/** Every command: what is typed, and what it asks for. */
import assert from "node:assert/strict";
import test from "node:test";
import { podStates } from "@yoi/protocol";
import type { Command } from "../../src/commands/command.ts";
import { parseCommand } from "../../src/commands/parse.ts";
import { initPrompt, reviewPrompt } from "../../src/commands/prompts.ts";
import { commandNamed, type CommandName, commandSpecs, commandWords } from "../../src/commands/table.ts";
import { whyNot } from "../../src/commands/why-not.ts";

type Row = readonly [string, Command | string];

/** By name, so that none is forgotten. A text: what is said instead. */
const rows: Readonly<Record<CommandName, readonly Row[]>> = {
  compact: [
    ["/compact", { kind: "compact" }],
    ["/compact undo", { kind: "undo_compaction" }],
    [
      "/compact the tests",
      "/compact takes no hint: what is kept does not depend on one. /compact undo takes a compaction back.",
    ],
  ],
  rewind: [["/rewind", { kind: "rewind" }]],
  undo: [["/undo", { kind: "undo" }]],
  notify: [
    ["/notify use tabs", { kind: "notify", message: "use tabs" }],
    ["/btw use\ntabs\n", { kind: "notify", message: "use\ntabs" }],
    [":note x", { kind: "notify", message: "x" }],
    ["/notify", "/notify takes something behind it: /notify TEXT."],
  ],
  queue: [
    ["/queue", { kind: "show_queue" }],
    ["/queue then test it", { kind: "queue", text: "then test it" }],
  ],
  unqueue: [
    ["/unqueue", { kind: "unqueue", nth: null }],
    ["/unqueue 2", { kind: "unqueue", nth: 2 }],
    ["/unqueue 0", "/unqueue takes the number of a queued input, as /queue shows it."],
    ["/unqueue last", "/unqueue takes the number of a queued input, as /queue shows it."],
  ],
  init: [["/init", { kind: "prompt", text: initPrompt }]],
  review: [
    ["/review", { kind: "prompt", text: reviewPrompt(null) }],
    ["/review the last commit", { kind: "prompt", text: reviewPrompt("the last commit") }],
  ],
  copy: [["/copy", { kind: "copy" }]],
  transcript: [["/transcript", { kind: "transcript" }]],
  export: [["/export", { kind: "export" }]],
  cancel: [["/cancel", { kind: "cancel" }]],
  pause: [
    ["/pause", { kind: "pause" }],
    ["/pause now", "/pause takes nothing behind it: nothing was done."],
  ],
  resume: [
    ["/resume", { kind: "resume", name: null }],
    ["/resume web", { kind: "resume", name: "web" }],
    ["/resume web now", "/resume takes one word: nothing was done."],
  ],
  pods: [["/pods", { kind: "pods" }]],
  tree: [
    ["/tree", { kind: "tree" }],
    ["/agents", { kind: "tree" }],
  ],
  open: [
    ["/open web", { kind: "open", name: "web" }],
    ["/open", "/open takes something behind it: /open NAME."],
  ],
  new: [
    ["/new", { kind: "new", name: null }],
    ["/clear", { kind: "new", name: null }],
    ["/new web", { kind: "new", name: "web" }],
  ],
  send: [
    ["/send web run the tests", { kind: "send", name: "web", text: "run the tests" }],
    ["/send web", "/send takes the Pod's name and what to send: /send NAME TEXT."],
  ],
  fork: [["/fork", { kind: "fork" }]],
  title: [
    ["/title The parser", { kind: "title", title: "The parser" }],
    ["/rename The parser", { kind: "title", title: "The parser" }],
    ["/title", { kind: "title", title: null }],
    ["/title a\nb", "/title takes one line."],
  ],
  stop: [
    ["/stop", { kind: "stop", name: null }],
    ["/stop web", { kind: "stop", name: "web" }],
  ],
  restore: [
    ["/restore", { kind: "restore", name: null }],
    ["/restore web", { kind: "restore", name: "web" }],
  ],
  approve: [
    ["/approve", { kind: "approve", id: null }],
    ["/allow 0123abcd", { kind: "approve", id: "0123abcd" }],
    ["/approve all", "/approve takes the beginning of the call's id, as it is shown: nothing was allowed."],
  ],
  deny: [
    ["/deny use git mv", { kind: "deny", id: null, reason: "use git mv" }],
    ["/deny 0123abcd use git mv", { kind: "deny", id: "0123abcd", reason: "use git mv" }],
    ["/deny 0123abcd", "/deny takes a reason, which the model is told: /deny [ID] REASON."],
    ["/deny", "/deny takes a reason, which the model is told: /deny [ID] REASON."],
  ],
  permissions: [
    ["/permissions", { kind: "permissions", value: null }],
    ["/mode ask", { kind: "permissions", value: "ask" }],
  ],
  sandbox: [
    ["/sandbox off", { kind: "sandbox", value: "off" }],
    ["/sandbox", "/sandbox takes something behind it: /sandbox on|off."],
    ["/sandbox maybe", "/sandbox takes on or off: nothing was done."],
  ],
  grants: [["/grants", { kind: "grants" }]],
  revoke: [["/revoke g1", { kind: "revoke", id: "g1" }]],
  status: [["/status", { kind: "status" }]],
  context: [["/context", { kind: "page", page: "context" }]],
  usage: [
    ["/usage", { kind: "page", page: "usage" }],
    ["/cost", { kind: "page", page: "usage" }],
  ],
  diff: [["/diff", { kind: "page", page: "diff" }]],
  tasks: [["/tasks", { kind: "tasks" }]],
  hooks: [["/hooks", { kind: "page", page: "hooks" }]],
  model: [
    ["/model", { kind: "model", value: null }],
    ["/model anthropic/x", { kind: "model", value: "anthropic/x" }],
  ],
  config: [["/config", { kind: "page", page: "config" }]],
  doctor: [["/doctor", { kind: "page", page: "doctor" }]],
  setup: [["/login", { kind: "setup" }]],
  mcp: [
    [
      "/mcp",
      {
        kind: "say",
        sentence: "yoi speaks no MCP yet: tools of others come with features, which /hooks shows.",
      },
    ],
  ],
  plugins: [
    [
      "/plugins",
      {
        kind: "say",
        sentence:
          "What is a plugin elsewhere is a feature here: /hooks shows those that there are, and `yoi feature` allows others.",
      },
    ],
  ],
  skills: [["/skills", { kind: "page", page: "skills" }]],
  tickets: [["/tickets", { kind: "page", page: "tickets" }]],
  skill: [
    ["/skill", "/skill takes something behind it: /skill NAME [TEXT]."],
    ["/skill release", "There is no skill release: /skills shows those that there are. Nothing was sent."],
  ],
  memory: [
    [
      "/memory",
      {
        kind: "say",
        sentence:
          "yoi keeps no memory of its own between Pods: what should be known stands in AGENTS.md, which /init writes.",
      },
    ],
  ],
  help: [
    ["/help", { kind: "help" }],
    [":HELP", { kind: "help" }],
    ["/help me", "/help takes nothing behind it: nothing was done."],
  ],
  keys: [["/keys", { kind: "keys" }]],
  theme: [
    ["/theme", { kind: "theme", theme: null }],
    ["/theme Light", { kind: "theme", theme: "light" }],
    ["/theme pink", "/theme takes one of auto, dark, light, none."],
  ],
  screen: [
    ["/screen", { kind: "screen", screen: null }],
    ["/screen alternate", { kind: "screen", screen: "alternate" }],
  ],
  quit: ["quit", "exit", "detach", "bg", "q"].map((name) => [`/${name}`, { kind: "quit" }] as const),
};

test("each command", () => {
  for (const [text, wanted] of Object.values(rows).flat()) {
    const reading =
      typeof wanted !== "string"
        ? { kind: "command", command: wanted }
        : { kind: wanted.startsWith("There is no skill") ? "unknown" : "wrong", sentence: wanted };
    assert.deepEqual(parseCommand(text), reading, text);
  }
});

test("a name of a skill loads it where no command is called so, and /skill loads it in any case", () => {
  const skills = ["release", "review", "skill", "3d"];
  const readings: readonly (readonly [string, ReturnType<typeof parseCommand>])[] = [
    ["/release", { kind: "skill", name: "release", from: 1 }],
    [":release 1.2\nnow", { kind: "skill", name: "release", from: 1 }],
    ["/review", { kind: "command", command: { kind: "prompt", text: reviewPrompt(null) } }],
    ["/skill review", { kind: "skill", name: "review", from: 7 }],
    ["/SKILL  review src", { kind: "skill", name: "review", from: 8 }],
    ["/skill\nskill", { kind: "skill", name: "skill", from: 7 }],
    ["/skill 3d", { kind: "skill", name: "3d", from: 7 }],
    [
      "/Release",
      {
        kind: "wrong",
        sentence: "There is no /Release: did you mean /release; a space in front makes a prompt of the line.",
      },
    ],
    [
      "/skill relase 1.2",
      { kind: "wrong", sentence: "There is no skill relase: did you mean release. Nothing was sent." },
    ],
    [
      "/skill \u001b[2J",
      {
        kind: "unknown",
        sentence: "There is no skill \\u001b[2J: /skills shows those that there are. Nothing was sent.",
      },
    ],
    // It is no name of a command: the whole text is read as a prompt is.
    ["/3d print", null],
  ];
  for (const [text, reading] of readings) assert.deepEqual(parseCommand(text, skills), reading, text);
});

test("every name and alias names one command, and each says in one sentence what it does", () => {
  assert.deepEqual(new Set(commandWords).size, commandWords.length);
  for (const word of commandWords) assert.notEqual(commandNamed(word), null);
  for (const { name, help } of commandSpecs) assert.match(help, /^[A-Z].*\.$/, name);
});

test("what people know from elsewhere is there", () => {
  const known =
    "help clear compact context skill tickets cost usage model permissions mcp agents tasks skills hooks plugins resume rename fork rewind undo diff export status doctor config theme init memory review btw detach bg quit pods tree approve deny pause stop restore queue unqueue notify title grants revoke keys transcript copy screen";
  for (const word of known.split(" ")) assert.notEqual(commandNamed(word), null, word);
});

test("an unknown one is said, with what was probably meant, and nothing that could disturb the terminal", () => {
  assert.deepEqual(parseCommand("/rewnd"), {
    kind: "wrong",
    sentence: "There is no /rewnd: did you mean /rewind; a space in front makes a prompt of the line.",
  });
  assert.deepEqual(parseCommand(":frobnicate now"), {
    kind: "unknown",
    sentence:
      "There is no :frobnicate: /help shows the commands; a space in front makes a prompt of the line.",
  });
  assert.equal(parseCommand("/a\u001b[31m"), null);
});

test("what a command needs: an open Pod, and one that can do it now", () => {
  const why = (name: CommandName, state: (typeof podStates)[number] | null) => {
    const spec = commandNamed(name);
    return spec === null ? "none" : whyNot(spec, state);
  };
  const table: readonly (readonly [CommandName, ...(string | null)[]])[] = [
    // no Pod, idle, running, paused
    ["pods", null, null, null, null],
    ["status", "/status needs an open Pod: /pods shows those that there are.", null, null, null],
    [
      "compact",
      "/compact needs an open Pod: /pods shows those that there are.",
      null,
      "/compact has to wait until the run is over: Esc stops it.",
      null,
    ],
    [
      "pause",
      "/pause needs an open Pod: /pods shows those that there are.",
      "/pause needs a run that goes on, and none does.",
      null,
      null,
    ],
    [
      "cancel",
      "/cancel needs an open Pod: /pods shows those that there are.",
      "/cancel needs a run that goes on, and none does.",
      null,
      null,
    ],
  ];
  for (const [name, ...sentences] of table) {
    assert.deepEqual(
      [null, ...podStates].map((state) => why(name, state)),
      sentences,
    );
  }
});
