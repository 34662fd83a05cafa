/** Stages the hooks of one module. They enter the Pod's registry when every feature is installed, in the order of the modules. */
import type { FeatureDescriptor, Hook, HookDeclaration, HookPoint, HookRegistrar } from "@yoi/feature";
import type { HookOwner, HookRegistry } from "../../hook/registry.ts";
import type { Registration } from "./registration.ts";

interface StagedHook {
  readonly declaration: HookDeclaration;
  readonly enter: (registry: HookRegistry, owner: HookOwner) => void;
}

export class HookStage {
  readonly #descriptor: FeatureDescriptor;
  readonly #registration: Registration;
  readonly #staged: StagedHook[] = [];
  readonly registrar: HookRegistrar;

  constructor(descriptor: FeatureDescriptor, registration: Registration) {
    this.#descriptor = descriptor;
    this.#registration = registration;
    this.registrar = {
      onPromptSubmit: (name, hook) => this.#register("on_prompt_submit", name, hook),
      preLlmRequest: (name, hook) => this.#register("pre_llm_request", name, hook),
      preToolCall: (name, hook) => this.#register("pre_tool_call", name, hook),
      postToolCall: (name, hook) => this.#register("post_tool_call", name, hook),
      onTurnEnd: (name, hook) => this.#register("on_turn_end", name, hook),
      onAbort: (name, hook) => this.#register("on_abort", name, hook),
    };
  }

  get hooks(): readonly HookDeclaration[] {
    return this.#staged.map(({ declaration }) => declaration);
  }

  has(declaration: HookDeclaration): boolean {
    return this.#staged.some((staged) => staged.declaration === declaration);
  }

  enter(registry: HookRegistry, owner: HookOwner): void {
    for (const staged of this.#staged) staged.enter(registry, owner);
  }

  #register<P extends HookPoint>(point: P, name: string, hook: Hook<P>): void {
    const { id, hooks } = this.#descriptor;
    this.#registration.open("hook");
    const shown = `${this.#registration.said(name)} (${point})`;
    const declaration = hooks.find((each) => each.name === name && each.point === point);
    if (declaration === undefined) {
      throw this.#registration.refused(
        "hook",
        name,
        `The hook ${shown} is not declared in the descriptor of ${id}.`,
      );
    }
    if (typeof hook !== "function") {
      throw this.#registration.refused("hook", name, `The hook ${shown} of ${id} is no function.`);
    }
    if (this.has(declaration)) {
      throw this.#registration.refused("hook", name, `${id} registers the hook ${shown} twice.`);
    }
    const enter = (registry: HookRegistry, owner: HookOwner) =>
      registry.add("feature", owner, declaration.name, point, hook);
    this.#staged.push({ declaration, enter });
  }
}
