/** Stages the tools of one module: each made once, held against its declaration, and taken out of the module's hands. */
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, type Tool } from "@yoi/base";
import type {
  AuthorityGrants,
  FeatureDescriptor,
  HostAuthority,
  ToolContribution,
  ToolDeclaration,
  ToolRegistrar,
} from "@yoi/feature";
import { covers } from "../authorities/covers.ts";
import { describeAuthority } from "../authorities/describe-authority.ts";
import { atOnce } from "../at-once.ts";
import { checkAuthority } from "../check-authority.ts";
import { authoritiesMax, descriptorCharsMax, descriptorDepthMax } from "../descriptor-limits.ts";
import { plainCopy } from "../plain-copy.ts";
import { hostTool, type ToolParts } from "./host-tool.ts";
import type { Registration } from "./registration.ts";

export interface ToolStageOptions {
  readonly descriptor: FeatureDescriptor;
  readonly grants: AuthorityGrants;
  readonly registration: Registration;
}

/** What a factory gave, each part read once. */
interface Materialised extends ToolParts {
  readonly definition: JsonObject;
  readonly readOnly: unknown;
}

export class ToolStage {
  readonly #options: ToolStageOptions;
  readonly #staged = new Map<string, Tool>();
  /** Not granted what they need: what is declared of them is accounted for. */
  readonly #leftOut = new Set<string>();
  readonly registrar: ToolRegistrar;

  constructor(options: ToolStageOptions) {
    this.#options = options;
    this.registrar = { register: (contribution) => this.#register(contribution) };
  }

  get tools(): readonly Tool[] {
    return [...this.#staged.values()];
  }

  has(name: string): boolean {
    return this.#staged.has(name);
  }

  wasLeftOut(name: string): boolean {
    return this.#leftOut.has(name);
  }

  #register(contribution: ToolContribution): void {
    const { descriptor, registration } = this.#options;
    registration.open("tool");
    const { name, create, requires } = this.#read(contribution);
    const made = this.#materialise(name, create);
    const shown = made.definition["name"];
    if (shown !== name) {
      const reason = `The tool ${JSON.stringify(name)} of ${descriptor.id} would be ${registration.said(shown)} to the model: the two names are to be the same.`;
      throw registration.refused("tool", name, reason);
    }
    const declared = descriptor.tools.find((each) => each.name === name);
    if (declared === undefined) {
      throw registration.refused(
        "tool",
        name,
        `The tool ${JSON.stringify(name)} is not declared in the descriptor of ${descriptor.id}.`,
      );
    }
    const difference = differenceOf(declared, made);
    if (difference !== null) {
      const reason = `The tool ${name} of ${descriptor.id} is not as it is declared: its ${difference} is another.`;
      throw registration.refused("tool", name, reason);
    }
    const needed = this.#neededBy(name, requires);
    const missing = this.#missingOf(needed);
    if (missing !== null) {
      this.#leftOut.add(name);
      registration.leaveOut(
        "tool",
        name,
        `The tool ${name} of ${descriptor.id} needs ${missing}, which is not granted.`,
      );
      return;
    }
    if (this.#staged.has(name)) {
      throw registration.refused("tool", name, `${descriptor.id} registers the tool ${name} twice.`);
    }
    const failed = (problem: string, thrown: unknown) =>
      registration.warn(`${problem}: ${registration.said(thrown)}`);
    const tool = hostTool(declared, made, failed);
    const managesPods = needed.some(({ kind }) => kind === "pod_management");
    this.#staged.set(name, managesPods ? Object.freeze({ ...tool, writesNoFile: true }) : tool);
  }

  #read(contribution: ToolContribution): {
    readonly name: string;
    readonly create: () => unknown;
    readonly requires: unknown;
  } {
    const { descriptor, registration } = this.#options;
    try {
      const { name, create, requires } = Object(contribution) as { [key: string]: unknown };
      if (typeof name !== "string" || typeof create !== "function")
        throw new TypeError("it has no name or no create()");
      return { name, create: () => create.call(contribution), requires };
    } catch (thrown) {
      const why = registration.said(thrown);
      throw registration.refused("tool", "", `A tool of ${descriptor.id} is not registered as one: ${why}`);
    }
  }

  #materialise(name: string, create: () => unknown): Materialised {
    const { descriptor, registration } = this.#options;
    try {
      const tool = atOnce("create", create());
      const { definition, readOnly, execute, claim } = Object(tool) as { [key: string]: unknown };
      const limits = { depthMax: descriptorDepthMax, charsMax: descriptorCharsMax };
      const copy = plainCopy(definition, "definition", limits);
      if (!isJsonObject(copy)) throw new TypeError("it has no definition");
      if (typeof execute !== "function") throw new TypeError("it has no execute()");
      if (claim !== undefined && typeof claim !== "function") throw new TypeError("its claim is no function");
      return {
        definition: copy,
        readOnly,
        execute: (args, context) => execute.call(tool, args, context),
        claim: claim === undefined ? null : (args) => claim.call(tool, args),
      };
    } catch (thrown) {
      const reason = `The tool ${JSON.stringify(name)} of ${descriptor.id} could not be made: ${registration.said(thrown)}`;
      throw registration.refused("tool", name, reason);
    }
  }

  /** The first authority that is not granted, in words; null: all are. */
  #missingOf(needed: readonly HostAuthority[]): string | null {
    const { granted } = this.#options.grants;
    const missing = needed.find((each) => !granted.some((grant) => covers(grant, each)));
    return missing === undefined ? null : describeAuthority(missing);
  }

  #neededBy(name: string, requires: unknown): readonly HostAuthority[] {
    if (requires === undefined) return [];
    const { descriptor, registration } = this.#options;
    try {
      const limits = { depthMax: descriptorDepthMax, charsMax: descriptorCharsMax };
      const copy: JsonValue = plainCopy(requires, "requires", limits);
      if (!Array.isArray(copy) || copy.length > authoritiesMax)
        throw new TypeError("requires is to be a list of authorities");
      return copy.map((each: JsonValue, index) => checkAuthority(each, `requires[${index}]`));
    } catch (thrown) {
      const reason = `The tool ${name} of ${descriptor.id} does not say what it needs: ${registration.said(thrown)}`;
      throw registration.refused("tool", name, reason);
    }
  }
}

/** The first field in which what was made is not what was declared; null: none. */
function differenceOf(declared: ToolDeclaration, { definition, readOnly }: Materialised): string | null {
  const { name, description, input_schema, read_only } = declared;
  const promised: JsonObject = { name, description, input_schema };
  for (const key of new Set([...Object.keys(promised), ...Object.keys(definition)])) {
    if (canonicalJson(promised[key] ?? null) !== canonicalJson(definition[key] ?? null)) return key;
  }
  return readOnly === read_only ? null : "read_only";
}
