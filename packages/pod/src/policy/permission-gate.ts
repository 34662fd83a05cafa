/** The permission gate: the first judge of every tool call, from the rules and the mode of the manifest. */
import { resolve } from "node:path";
import { argumentOf, type CallTarget, type Manifest, targetOf, tellingArgumentOf } from "@yoi/manifest";
import type { CallView } from "@yoi/worker";
import { type CallRule, isOfKeptTool, keptRuleText, parseKeptRule } from "./kept-rule.ts";
import { callOffers, saysNothing } from "./offers.ts";
import { plainUrl } from "./plain-url.ts";
import { decisionOf, type PermissionDecision } from "./refusal.ts";
import { type JudgedCall, type JudgedTarget, judgedRule } from "./rule-match.ts";
import type { CommandReading } from "./shell/reading.ts";
import { judge, judgeCommand, needsReading, type Permissions, strictest, type Verdict } from "./verdict.ts";

/** What is judged of a call. */
export type GatedCall = Pick<CallView, "name" | "args" | "readOnly">;

export interface PermissionGateOptions {
  readonly permissions: Manifest["permissions"];
  readonly workspace: string;
  /** The real path of an absolute one; the path itself where the scope refuses to look, as the tool will then. */
  readonly locate: (path: string) => string;
}

/** Keeps nothing: what it refuses is on record with the call's result. */
export class PermissionGate {
  readonly #options: PermissionGateOptions;
  /** Its own, then those of the Pods above it, the nearest first: each is asked, and the strictest word counts. */
  readonly #policies: readonly Permissions[];

  constructor(options: PermissionGateOptions) {
    this.#options = options;
    const { mode, rules, above = [] } = options.permissions;
    this.#policies = [
      { mode, rules: rules.map(judgedRule), of: null },
      ...above
        .map(({ pod, mode: itsMode, rules: its }) => ({ mode: itsMode, rules: its.map(judgedRule), of: pod }))
        .toReversed(),
    ];
  }

  /** A command is taken apart where a rule is about some commands and not others; the grammar for it is loaded by the first such call. */
  async decide(call: GatedCall): Promise<PermissionDecision> {
    const judged = this.#judged(call);
    const decision = decisionOf(await this.#verdict(this.#policies, judged));
    // It could only fail: nobody is asked for that.
    return decision.action === "ask" && saysNothing(judged)
      ? { action: "deny", reason: unsaid(call) }
      : decision;
  }

  /** Whether a rule that the user let an answer keep is about all that the call does: judged as an allow of `[permissions]`, with everything else refused. */
  async isKept(rule: CallRule, call: GatedCall): Promise<boolean> {
    if (!isOfKeptTool(rule, call.name)) return false;
    const judged = this.#judged(call);
    if ("exactly" in rule.about) return rule.about.exactly === judged.target.real;
    const { pattern } = rule.about;
    const allow = judgedRule({ tool: rule.tool, pattern, action: "allow", origin: "kept" });
    const policy: Permissions = { mode: "deny-unlisted", rules: [allow], of: null };
    return (await this.#verdict([policy], judged)).action === "allow";
  }

  /** Whether no rule asks for a person, and none forbids it: at most a mode does. */
  async isAskedByModeAlone(call: GatedCall): Promise<boolean> {
    const ofRules = this.#policies.map(({ rules, of }): Permissions => ({
      mode: "allow-in-scope",
      rules,
      of,
    }));
    return (await this.#verdict(ofRules, this.#judged(call))).action === "allow";
  }

  /** Rules that an answer about the call may keep, as texts, the narrowest first: each is about this very call. */
  async offers(call: GatedCall): Promise<readonly string[]> {
    const { kind } = targetOf(call.name, call.args);
    const judged = this.#judged(call);
    const reading = kind === "command" ? await this.#read(judged.target.real) : null;
    const texts: string[] = [];
    for (const offer of callOffers(judged, kind, reading)) {
      const text = keptRuleText(offer);
      if (parseKeptRule(text) !== null && (await this.isKept(offer, call))) texts.push(text);
      // Where the call itself is not offered, nothing wider is.
      else if (texts.length === 0) return [];
    }
    return texts;
  }

  #judged(call: GatedCall): JudgedCall {
    const { kind, text } = targetOf(call.name, call.args);
    return {
      name: call.name,
      readOnly: call.readOnly,
      target: this.#targetOf({ kind, text }),
      argument: (name) => {
        const target = argumentOf(call.name, name, call.args);
        return target === null ? null : this.#targetOf(target);
      },
      command: kind === "command" ? tellingArgumentOf(call.name) : null,
    };
  }

  async #verdict(policies: readonly Permissions[], judged: JudgedCall): Promise<Verdict> {
    if (!policies.some((policy) => needsReading(policy, judged)))
      return strictest(policies, (policy) => judge(policy, judged));
    const reading = await this.#read(judged.target.real);
    return strictest(policies, (policy) =>
      needsReading(policy, judged) ? judgeCommand(policy, judged, reading) : judge(policy, judged),
    );
  }

  async #read(command: string): Promise<CommandReading> {
    const [{ readCommand }, grammar] = await Promise.all([
      import("./shell/read-command.ts"),
      import("unbash"),
    ]);
    return readCommand(command, this.#options.workspace, grammar);
  }

  /** The rule that denies Read the file or directory at `path`, for a sentence; null when none does, whatever the mode. */
  denialOfReading(path: string): string | null {
    const verdict = this.#byRules("Read", this.#placeOf(path));
    return verdict.action === "deny" ? verdict.because : null;
  }

  /** The rule that denies Skill this one, alike. */
  denialOfSkill(name: string): string | null {
    const verdict = this.#byRules("Skill", { named: name, real: name });
    return verdict.action === "deny" ? verdict.because : null;
  }

  /** What refuses WebFetch a URL that a page redirects to, for a sentence; null when nothing does. */
  refusalOfFetching(url: string): string | null {
    const call = callOf("WebFetch", false, urlTarget(url));
    const verdict = strictest(this.#policies, (policy) => judge(policy, call));
    return verdict.action === "allow" ? null : verdict.because;
  }

  /**
   * Whether a tool that was let into a directory may show what is in a file there: not where a rule denies it or Read that file, or asks for a
   * person, who is not there for each of many files. `path` is absolute and real; the mode does not count, the call was judged by it.
   */
  mayShow(tool: string, path: string): boolean {
    if (this.#policies.every(({ rules }) => rules.every(({ action }) => action === "allow"))) return true;
    const target = { named: path, real: path };
    return [tool, "Read"].every((name) => this.#byRules(name, target).action === "allow");
  }

  #byRules(name: string, target: JudgedTarget): Verdict {
    const call = callOf(name, true, target);
    return strictest(this.#policies, (policy) => judge({ ...policy, mode: "allow-in-scope" }, call));
  }

  #targetOf({ kind, text }: CallTarget): JudgedTarget {
    switch (kind) {
      case "command":
      case "text":
        return { named: text, real: text };
      case "path":
        return this.#placeOf(text);
      case "url":
        return urlTarget(text);
    }
  }

  #placeOf(path: string): JudgedTarget {
    const named = resolve(this.#options.workspace, path);
    return { named, real: this.#options.locate(named) };
  }
}

function unsaid({ name }: GatedCall): string {
  return `Refused: a call of ${name} says what it is about in \`${tellingArgumentOf(name)}\`, as a text, and this one does not. Nothing was done.`;
}

/** A call of which nothing is known but its telling argument. */
function callOf(name: string, readOnly: boolean, target: JudgedTarget): JudgedCall {
  const telling = tellingArgumentOf(name);
  return {
    name,
    readOnly,
    target,
    argument: (argument) => (argument === telling ? target : null),
    command: null,
  };
}

function urlTarget(url: string): JudgedTarget {
  return { named: url, real: plainUrl(url) };
}
