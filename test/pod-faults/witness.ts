/** Witness: everything that left the machine, noted where it left: requests at the model, events at the client, effects in the world. */
import type { CallId, WireRecord } from "@yoi/base";
import { HostCrashed, type MemoryHost } from "@yoi/host";
import type { Model, ModelRequest } from "@yoi/model";
import type { PodEvent, PodObserver, RunReport } from "@yoi/pod";
import { Ledger } from "./ledger.ts";
import { overriding } from "../support/overriding.ts";

export interface SentRequest {
  readonly request: ModelRequest;
  readonly wire: WireRecord;
}

/** Where a process can be ended or stopped other than at its disk. */
export type Boundary = "asked" | "streamed" | "told" | "effect";

export interface WitnessPorts {
  /** Called at every boundary, after it was noted; may crash the host or stop the run. */
  readonly passed?: (boundary: Boundary) => void;
  /** Called when a request is sent and when an effect happens, before it counts; throws when it may not. */
  readonly sending?: (sent: SentRequest) => void;
  readonly acting?: (call: CallId) => void;
}

export class Witness {
  readonly sent: SentRequest[] = [];
  /** What observers were told as record, in order. */
  readonly told: PodEvent[] = [];
  readonly reports: RunReport[] = [];
  /** Texts of the notices whose senders heard that they were accepted. */
  readonly noticed: string[] = [];
  /** Effects by call, in the order in which they happened. */
  readonly effects: { readonly call: CallId; readonly what: string }[] = [];
  readonly ledger = new Ledger();
  ports: WitnessPorts = {};

  /** In front of a model: notes each sending of a request when the before-send port has let it go. */
  model(host: MemoryHost, model: Model): Model {
    const { stream } = overriding(model, {});
    const watched = async function* (
      this: void,
      witness: Witness,
      ...[request, options]: Parameters<Model["stream"]>
    ) {
      const beforeSend = async (wire: WireRecord) => {
        await options.beforeSend(wire);
        witness.send(host, { request, wire });
      };
      for await (const event of stream(request, { ...options, beforeSend })) {
        witness.pass("streamed");
        yield event;
      }
    };
    return overriding(model, { stream: (...asked) => watched(this, ...asked) });
  }

  observer(host: MemoryHost): PodObserver {
    return (event) => {
      // A dead process tells nobody anything.
      if (host.crashed) return;
      this.told.push(event);
      this.pass("told");
    };
  }

  act(host: MemoryHost, call: CallId, what: string): void {
    if (host.crashed) throw new HostCrashed();
    this.ports.acting?.(call);
    this.effects.push({ call, what });
    this.pass("effect");
  }

  send(host: MemoryHost, sent: SentRequest): void {
    if (host.crashed) throw new HostCrashed();
    this.ports.sending?.(sent);
    this.sent.push(sent);
    this.pass("asked");
    if (host.crashed) throw new HostCrashed();
  }

  pass(boundary: Boundary): void {
    this.ports.passed?.(boundary);
  }

  /** How often each call had its effect. */
  get effectsByCall(): ReadonlyMap<CallId, number> {
    const counts = new Map<CallId, number>();
    for (const { call } of this.effects) counts.set(call, (counts.get(call) ?? 0) + 1);
    return counts;
  }
}
