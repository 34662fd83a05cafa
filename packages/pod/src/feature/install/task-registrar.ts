/** Stages the background tasks of one module. */
import type { BackgroundTaskRegistrar, FeatureDescriptor } from "@yoi/feature";
import type { StagedTasks } from "../background/background-tasks.ts";
import type { Registration } from "./registration.ts";

export interface TaskStageOptions {
  readonly descriptor: FeatureDescriptor;
  readonly registration: Registration;
  readonly staged: StagedTasks;
}

export class TaskStage {
  readonly #names = new Set<string>();
  readonly #staged: StagedTasks;
  readonly registrar: BackgroundTaskRegistrar;

  constructor({ descriptor, registration, staged }: TaskStageOptions) {
    this.#staged = staged;
    this.registrar = {
      register: (name, run) => {
        registration.open("background task");
        if (!descriptor.background_tasks.some((declared) => declared.name === name)) {
          const reason = `The background task ${registration.said(name)} is not declared in the descriptor of ${descriptor.id}.`;
          throw registration.refused("background_task", name, reason);
        }
        try {
          staged.register(name, run);
        } catch (thrown) {
          throw registration.refused("background_task", name, registration.said(thrown));
        }
        this.#names.add(name);
      },
    };
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  commit(): void {
    this.#staged.commit();
  }
}
