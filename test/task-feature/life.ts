/** Lives of a simulated Pod with the Task feature, and what its model was shown in all of them. */
import assert from "node:assert/strict";
import type { CommittedItem, LogEntry } from "@yoi/base";
import { taskFeature } from "@yoi/builtin";
import { memoryHost, type MemoryHost } from "@yoi/host";
import type { Model } from "@yoi/model";
import type { OpenPodOptions, Pod } from "@yoi/pod";
import type { LeaseTable } from "@yoi/pod-store";
import { driven } from "../pod-faults/life.ts";
import { openSimulated, simulatedPod, simulatedStores } from "../support/simulated-pod.ts";
import { scenario } from "./scene.ts";

export class Machine {
  host: MemoryHost = memoryHost({ seed: 24 });
  /** The items of each request, in the order in which the model was asked. */
  readonly shown: (readonly CommittedItem[])[] = [];
  readonly #leases: LeaseTable = new Map();

  /** Every life has a Task feature of its own: nothing of it is left but the log. */
  async open(committed: NonNullable<OpenPodOptions["committed"]> = () => {}): Promise<Pod> {
    const pod = openSimulated({
      host: this.host,
      leases: this.#leases,
      scenario: scenario(),
      tools: [],
      features: [taskFeature()],
      committed,
      wrapModel: (model) => this.#watched(model),
    });
    return driven(this.host, pod);
  }

  /** One input, or the rest of a run that was cut. */
  async run(pod: Pod, text: string | null): Promise<void> {
    const run = text === null ? pod.resume() : pod.submit([{ type: "text", text }]);
    const { outcome } = await driven(this.host, run);
    assert.equal(outcome.kind, "finished");
  }

  close(pod: Pod): Promise<void> {
    return driven(this.host, pod.close());
  }

  /** The machine stops, and another process finds its disk. */
  restart(loss: "power" | "process"): void {
    this.host.crash(loss);
    this.host = this.host.restart();
  }

  async log(): Promise<readonly LogEntry[]> {
    const { sessions, pods } = simulatedStores(this.host, this.#leases);
    const record = await driven(this.host, pods.read(simulatedPod));
    if (record === null || record.pointer.state !== "active") return [];
    return (await driven(this.host, sessions.read(record.pointer))).entries;
  }

  #watched(model: Model): Model {
    const { shown } = this;
    return new Proxy(model, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== "stream") return typeof value === "function" ? value.bind(target) : value;
        return (...args: Parameters<Model["stream"]>) => {
          shown.push([...args[0].items]);
          return target.stream(...args);
        };
      },
    });
  }
}
