/** A command line that was typed: its sign, its name and what stands behind it, as a Command. */
import { escapeControls, nearest } from "@yoi/base";
import { type ScreenMode, screenModes, type ThemeChoice, themeChoices } from "../settings.ts";
import type { Command, CommandReading } from "./command.ts";
import { initPrompt, reviewPrompt } from "./prompts.ts";
import { type CommandName, commandNamed, commandWords } from "./table.ts";

/**
 * Null: it is no command but a text that begins like one, such as a path or `:)`.
 * @param skills names of those that can be loaded. A command that is called like one goes before it.
 */
export function parseCommand(text: string, skills: readonly string[] = []): CommandReading | null {
  const found = /^([/:])([A-Za-z][\w-]*)?(?:[ \t\n]+([^]*))?$/.exec(text.trimEnd());
  if (found === null) return null;
  const [, sign = "/", name, rest = ""] = found;
  if (name === undefined) {
    // A colon alone is a text like others.
    return sign === "/" && rest === "" ? wrong("A command has a name: /help shows them all.") : null;
  }
  const spec = commandNamed(name);
  if (spec === null)
    return skills.includes(name) ? { kind: "skill", name, from: 1 } : unknown(sign, name, skills);
  const { argument } = spec;
  const shown = `${sign}${spec.name}`;
  if (argument === undefined && rest !== "")
    return wrong(`${shown} takes nothing behind it: nothing was done.`);
  if (argument !== undefined && !argument.startsWith("[") && rest === "") {
    return wrong(`${shown} takes something behind it: ${shown} ${argument}.`);
  }
  if (spec.name === "skill")
    return namedSkill(text.length - text.replace(/^\S+\s+/, "").length, rest, skills);
  return commandOf(spec.name, rest, shown);
}

function namedSkill(from: number, rest: string, skills: readonly string[]): CommandReading {
  const [name = ""] = rest.split(/\s/, 1);
  if (skills.includes(name)) return { kind: "skill", name, from };
  const near = nearest(name, skills);
  const advice = near === null ? "/skills shows those that there are" : `did you mean ${near}`;
  const sentence = `There is no skill ${escapeControls(name)}: ${advice}. Nothing was sent.`;
  return { kind: near === null ? "unknown" : "wrong", sentence };
}

function unknown(sign: string, name: string, skills: readonly string[]): CommandReading {
  const near = nearest(name, [...commandWords, ...skills]);
  const advice = near === null ? "/help shows the commands" : `did you mean ${sign}${near}`;
  const sentence = `There is no ${sign}${escapeControls(name)}: ${advice}; a space in front makes a prompt of the line.`;
  return { kind: near === null ? "unknown" : "wrong", sentence };
}

function wrong(sentence: string): CommandReading {
  return { kind: "wrong", sentence };
}

function command(what: Command): CommandReading {
  return { kind: "command", command: what };
}

function commandOf(name: Exclude<CommandName, "skill">, rest: string, shown: string): CommandReading {
  const one = rest === "" ? null : rest;
  switch (name) {
    case "help":
    case "keys":
    case "status":
    case "tasks":
    case "transcript":
    case "copy":
    case "setup":
    case "quit":
    case "pods":
    case "tree":
    case "grants":
    case "pause":
    case "cancel":
    case "rewind":
    case "undo":
    case "fork":
    case "export":
      return command({ kind: name });
    case "usage":
    case "context":
    case "diff":
    case "doctor":
    case "config":
    case "hooks":
    case "skills":
    case "tickets":
      return command({ kind: "page", page: name });
    case "compact":
      if (one === null) return command({ kind: "compact" });
      return rest === "undo"
        ? command({ kind: "undo_compaction" })
        : wrong(
            `${shown} takes no hint: what is kept does not depend on one. ${shown} undo takes a compaction back.`,
          );
    case "init":
      return command({ kind: "prompt", text: initPrompt });
    case "review":
      return command({ kind: "prompt", text: reviewPrompt(one) });
    case "notify":
      return command({ kind: "notify", message: rest });
    case "queue":
      return command(one === null ? { kind: "show_queue" } : { kind: "queue", text: rest });
    case "unqueue":
      return unqueue(rest, shown);
    case "new":
      return withWord(rest, shown, (word) => ({ kind: "new", name: word }));
    case "resume":
      return withWord(rest, shown, (word) => ({ kind: "resume", name: word }));
    case "stop":
    case "restore":
      return withWord(rest, shown, (word) => ({ kind: name, name: word }));
    case "open":
      return withWord(rest, shown, (word) => ({ kind: "open", name: word ?? "" }));
    case "revoke":
      return withWord(rest, shown, (word) => ({ kind: "revoke", id: word ?? "" }));
    case "send":
      return send(rest, shown);
    case "title":
      return title(rest, shown);
    case "model":
    case "permissions":
      return withWord(rest, shown, (value) => ({ kind: name, value }));
    case "sandbox":
      return rest === "on" || rest === "off"
        ? command({ kind: "sandbox", value: rest })
        : wrong(`${shown} takes on or off: nothing was done.`);
    case "theme":
      return oneOf(rest, shown, themeChoices, (theme: ThemeChoice | null) => ({ kind: "theme", theme }));
    case "screen":
      return oneOf(rest, shown, screenModes, (screen: ScreenMode | null) => ({ kind: "screen", screen }));
    case "approve":
      return one === null || isDigestPart(rest)
        ? command({ kind: "approve", id: one })
        : wrong(`${shown} takes the beginning of the call's id, as it is shown: nothing was allowed.`);
    case "deny":
      return deny(rest, shown);
    case "mcp":
    case "plugins":
    case "memory":
      return command({ kind: "say", sentence: instead[name] });
  }
}

const instead = {
  mcp: "yoi speaks no MCP yet: tools of others come with features, which /hooks shows.",
  plugins:
    "What is a plugin elsewhere is a feature here: /hooks shows those that there are, and `yoi feature` allows others.",
  memory:
    "yoi keeps no memory of its own between Pods: what should be known stands in AGENTS.md, which /init writes.",
} as const;

function withWord(rest: string, shown: string, make: (word: string | null) => Command): CommandReading {
  if (/\s/.test(rest)) return wrong(`${shown} takes one word: nothing was done.`);
  return command(make(rest === "" ? null : rest));
}

function oneOf<T extends string>(
  rest: string,
  shown: string,
  words: readonly T[],
  make: (word: T | null) => Command,
): CommandReading {
  if (rest === "") return command(make(null));
  const word = words.find((known) => known === rest.toLowerCase());
  return word === undefined ? wrong(`${shown} takes one of ${words.join(", ")}.`) : command(make(word));
}

function unqueue(rest: string, shown: string): CommandReading {
  if (rest === "") return command({ kind: "unqueue", nth: null });
  return /^[1-9]\d{0,3}$/.test(rest)
    ? command({ kind: "unqueue", nth: Number(rest) })
    : wrong(`${shown} takes the number of a queued input, as /queue shows it.`);
}

function send(rest: string, shown: string): CommandReading {
  const [, name = "", text = ""] = /^(\S+)\s+([^]+)$/.exec(rest) ?? [];
  if (text === "") return wrong(`${shown} takes the Pod's name and what to send: ${shown} NAME TEXT.`);
  return command({ kind: "send", name, text });
}

function title(rest: string, shown: string): CommandReading {
  if (rest.includes("\n")) return wrong(`${shown} takes one line.`);
  return command({ kind: "title", title: rest === "" ? null : rest });
}

/** As ids of calls are shown: the beginning of a digest. */
function isDigestPart(word: string): boolean {
  return /^[0-9a-f]{6,64}$/.test(word);
}

function deny(rest: string, shown: string): CommandReading {
  const [first = ""] = rest.split(/\s/, 1);
  const id = isDigestPart(first) ? first : null;
  const reason = id === null ? rest : rest.slice(first.length).trim();
  if (reason === "") return wrong(`${shown} takes a reason, which the model is told: ${shown} [ID] REASON.`);
  return command({ kind: "deny", id, reason });
}
