/** Arguments of the Pod tools: what the model is told it may send, and the check of what it sent. What may be lent, the host decides. */
import { isJsonObject, type JsonValue, podName, type ScopeRule, utf8Length, YoiError } from "@yoi/base";
import {
  childInstructionBytesMax,
  childMessageBytesMax,
  lentRulesMax,
  peerMessageBytesMax,
  type SpawnRequest,
} from "@yoi/feature";
import { objectOf, ToolArguments } from "../tool-arguments.ts";

const name = (what: string) => ({ type: "string", maxLength: 64, description: what });
const child = name("The name of a Pod that you started.");
const permissions = ["read", "write"] as const;

const rule = objectOf(
  {
    target: {
      type: "string",
      description: 'An absolute path as it really lies: no "..", no symbolic link.',
    },
    permission: {
      type: "string",
      enum: [...permissions],
      description: "write includes read, and takes the write from you while it is lent.",
    },
    recursive: {
      type: ["boolean", "null"],
      description:
        "true, which is the default: the target and everything below it; false: the target and what lies directly in it.",
    },
  },
  ["target", "permission"],
);

/** A null stands for a field that is left out: some models send every field. */
export const spawnSchema = objectOf(
  {
    name: name(
      'Of the new Pod, one that no Pod has: letters, digits, "-", "_" and ".", not starting with a dot or a dash.',
    ),
    profile: {
      type: ["string", "null"],
      description: "One of the profiles listed above, by its name there. Left out: it is set up as you are.",
    },
    instruction: {
      type: ["string", "null"],
      description: "Further instructions that stand in its system prompt, for as long as it exists.",
    },
    task: {
      type: "string",
      description: "Its first input: everything that it needs to know, and what it is to report.",
    },
    scope: {
      type: "array",
      minItems: 1,
      maxItems: lentRulesMax,
      items: rule,
      description: "All that it may touch.",
    },
  },
  ["name", "task", "scope"],
);

export const sendSchema = objectOf(
  { name: child, message: { type: "string", description: "Its next input." } },
  ["name", "message"],
);

export const childSchema = objectOf({ name: child }, ["name"]);

export const listPodsSchema = objectOf({}, []);

export const restoreSchema = objectOf(
  { name: name("The name of a Pod that ListPods shows as restorable.") },
  ["name"],
);

export const peerSchema = objectOf(
  {
    name: name("The name of a Pod that ListPods shows as a peer."),
    message: { type: "string", description: "What it is told." },
  },
  ["name", "message"],
);

/** The arguments of one call. Every method throws `usage` with a sentence that names the field. */
export class PodArguments extends ToolArguments {
  name(): string {
    const value = this.text("name");
    try {
      return podName(value);
    } catch (error) {
      if (!(error instanceof YoiError)) throw error;
      return this.refuse(
        "name",
        'must be 1 to 64 ASCII letters, digits, "-", "_" or ".", not starting with a dot or a dash',
      );
    }
  }

  message(): string {
    return this.#said("message", childMessageBytesMax, "say what the Pod is to do");
  }

  peerMessage(): string {
    return this.#said("message", peerMessageBytesMax, "say what the Pod is to know");
  }

  spawn(): SpawnRequest {
    return {
      name: this.name(),
      profile: this.#profile(),
      instruction: this.isGiven("instruction")
        ? this.#said("instruction", childInstructionBytesMax, "leave it out where there is none")
        : null,
      task: this.#said("task", childMessageBytesMax, "say what the Pod is to do"),
      scope: this.#scope(),
    };
  }

  #said(field: string, bytesMax: number, whatToDo: string): string {
    const text = this.text(field);
    if (text.trim() === "") this.refuse(field, `is empty: ${whatToDo}`);
    const bytes = utf8Length(text);
    if (bytes <= bytesMax) return text;
    return this.refuse(
      field,
      `is ${bytes} bytes: at most ${bytesMax} are sent, so put the rest into a file and name that`,
    );
  }

  /** Whether there is such a profile, the host says. */
  #profile(): string | null {
    if (!this.isGiven("profile")) return null;
    const selector = this.text("profile");
    if (selector === inherited) return null;
    if (selectorPattern.test(selector)) return selector;
    return this.refuse(
      "profile",
      "must be the name of a profile, as builtin:reader: a path or a file is none",
    );
  }

  #scope(): readonly ScopeRule[] {
    const value = this.value("scope");
    if (!Array.isArray(value))
      return this.refuse("scope", value === undefined ? "is missing" : "must be a list of rules");
    if (value.length === 0) this.refuse("scope", "is empty: lend the Pod at least what it is to read");
    if (value.length > lentRulesMax)
      this.refuse("scope", `has ${value.length} rules: at most ${lentRulesMax} are lent at once`);
    return value.map((each: JsonValue, index) => this.#rule(`scope[${index}]`, each));
  }

  #rule(place: string, value: JsonValue): ScopeRule {
    if (!isJsonObject(value)) return this.refuse(place, "must be an object with target and permission");
    const { target, permission, recursive, ...others } = value;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined)
      this.refuse(place, `has no field ${JSON.stringify(unknown)}: it takes target, permission, recursive`);
    if (typeof target !== "string" || !target.startsWith("/"))
      return this.refuse(`${place}.target`, "must be an absolute path, one that begins with /");
    const asked = permissions.find((known) => known === permission);
    if (asked === undefined) return this.refuse(`${place}.permission`, "must be read or write");
    if (recursive !== undefined && recursive !== null && typeof recursive !== "boolean")
      return this.refuse(`${place}.recursive`, "must be true or false");
    return {
      target: target.toWellFormed().replace(finalSlashes, ""),
      permission: asked,
      recursive: recursive ?? true,
    };
  }
}

/** As the parent is: the same as no profile. */
const inherited = "inherit";
const selectorPattern = /^(?:(?:builtin|user|project):)?[a-z0-9][a-z0-9_-]{0,63}$/;
/** Of a path that is more than the root. */
const finalSlashes = /(?<=.)\/+$/;
