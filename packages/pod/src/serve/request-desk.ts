/** RequestDesk: carries out what clients ask, as far as role, state and limits let them. */
import { podName, YoiError } from "@yoi/base";
import {
  type Call,
  mayCall,
  type Methods,
  type PodView,
  type ProtocolError,
  type Request,
  requestsMax,
  type RunLimitsParams,
  type StateCell,
  stateTable,
} from "@yoi/protocol";
import type { RunLimits } from "../drive/drive.ts";
import { isOwnName } from "../inbox/submissions.ts";
import { alreadyRunning, nothingToResume } from "../turn/state-sentences.ts";
import { refusalOf } from "./protocol-error.ts";
import type { Caller } from "./serve-options.ts";
import type { ServedPod } from "./served-pod.ts";
import { responseLine, shownLine, type StreamLine } from "./stream-line.ts";

interface DeskOptions {
  readonly pod: ServedPod;
  readonly view: () => PodView;
  readonly redact: (text: string) => string;
  readonly shutdown: () => void;
}

type ParamsOf<M extends Request["method"]> = Methods[M]["params"];

const stateSentences: Readonly<Record<Exclude<StateCell, "take" | "if_unfinished" | "nothing">, string>> = {
  already_running: alreadyRunning,
  not_running: "Nothing runs in this Pod: nothing was stopped.",
  not_paused: nothingToResume,
};
const closing: ProtocolError = {
  code: "closing",
  message: "This Pod is closing and takes nothing more: ask its next owner.",
};

export class RequestDesk {
  readonly #options: DeskOptions;
  #carriedOut = 0;
  #isClosing = false;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** From here on nothing new is taken; what is being carried out gets its true answer. */
  close(): void {
    this.#isClosing = true;
  }

  /** Gives the answer to `reply`, once. Never rejects. */
  async answer(caller: Caller, call: Call, reply: (line: StreamLine) => void): Promise<void> {
    const refusal = this.#whyNot(caller, call);
    if (refusal !== null) {
      reply(responseLine({ id: call.id, error: refusal }));
      return;
    }
    this.#carriedOut += 1;
    try {
      reply(await this.#carryOut(caller, call));
    } catch (error) {
      reply(responseLine({ id: call.id, error: refusalOf(error, this.#options.redact) }));
    } finally {
      this.#carriedOut -= 1;
    }
    // Whoever asked has the answer on its way before anything ends.
    if (call.method === "shutdown") this.#options.shutdown();
  }

  /** Asked before anything is done. */
  #whyNot({ role }: Caller, call: Call): ProtocolError | null {
    const { method } = call;
    if (!mayCall(role, method)) {
      return { code: "forbidden", message: `A client with the role ${role} may not call ${method}.` };
    }
    if ("submission" in call.params && isOwnName(call.params.submission)) {
      const message = `The id of a submission begins with a word that is the Pod's own: choose another id.`;
      return { code: "invalid_request", message };
    }
    if (this.#isClosing && method !== "ping" && method !== "show") return closing;
    if (this.#carriedOut >= requestsMax) {
      const message = `This Pod is carrying out ${requestsMax} requests already: ask again in a moment.`;
      return { code: "busy", message };
    }
    const { pod } = this.#options;
    const cell = stateTable[method][pod.driveState];
    if (cell === "take" || cell === "if_unfinished" || cell === "nothing") return null;
    // A repeat is answered whatever the Pod does now: above all while the very run goes on that it began.
    if (method === "submit" && pod.knowsSubmission(call.params.submission)) return null;
    return { code: cell, message: stateSentences[cell] };
  }

  async #carryOut(caller: Caller, call: Call): Promise<StreamLine> {
    const { id } = call;
    const { pod, view } = this.#options;
    switch (call.method) {
      case "ping":
        return responseLine({ id, result: call.params });
      case "show":
        return shownLine(id, view());
      case "submit":
        return responseLine({ id, result: await this.#submit(call.params) });
      case "notify": {
        const { message, reason, submission } = call.params;
        const notice = {
          source: caller.role,
          message,
          submission,
          ...(reason === undefined ? {} : { reason }),
        };
        return responseLine({ id, result: await pod.notify(notice) });
      }
      case "resume": {
        const begun = await pod.beginResume(limitsOf(call.params.limits));
        if (begun.id === null) throw this.#stoppedBefore("The resumed run");
        return responseLine({ id, result: { id: begun.id } });
      }
      case "cancel":
      case "pause":
        this.#stop(call.method, call.params);
        return responseLine({ id, result: {} });
      case "answer_approval": {
        const { reason = null, ...given } = call.params;
        return responseLine({ id, result: { seq: await pod.answerApproval({ ...given, reason }) } });
      }
      case "pod_event":
        // By the table of roles nobody else comes as far as this.
        if (caller.role !== "child") throw new Error(`a ${caller.role} has no parent to tell`);
        pod.hear(caller.child, call.params.event);
        return responseLine({ id, result: {} });
      case "restore_pod": {
        const { action, socket, warnings } = await pod.restoreChild(podName(call.params.name));
        return responseLine({ id, result: { action, socket, warnings } });
      }
      case "register_peer": {
        const { name, remove = false } = call.params;
        await pod.setPeer(podName(name), !remove);
        return responseLine({ id, result: {} });
      }
      case "compact":
        return responseLine({ id, result: await pod.compact() });
      case "list_rewind_targets":
        return responseLine({ id, result: await pod.listRewindTargets(call.params) });
      case "rewind":
        return responseLine({ id, result: await pod.rewind(call.params) });
      case "undo_compaction":
        return responseLine({ id, result: await pod.undoCompaction() });
      case "complete_path":
        return responseLine({ id, result: await pod.completePath(call.params) });
      case "run_command": {
        const { command, submission } = call.params;
        return responseLine({ id, result: await pod.runCommand(command, submission) });
      }
      case "stop_command":
        pod.stopCommand(call.params.id);
        return responseLine({ id, result: {} });
      case "set_title":
        await pod.setTitle(call.params.title);
        return responseLine({ id, result: {} });
      case "queue":
        return responseLine({ id, result: await pod.queue(call.params) });
      case "unqueue":
        return responseLine({ id, result: { parts: await pod.unqueue(call.params.id) } });
      case "shutdown":
        return responseLine({ id, result: {} });
    }
  }

  async #submit({ parts, submission, limits }: ParamsOf<"submit">): Promise<Methods["submit"]["result"]> {
    const submitted = await this.#options.pod.begin(parts, { limits: limitsOf(limits), submission });
    const { duplicate } = submitted;
    const id = submitted.duplicate ? submitted.id : submitted.run.id;
    if (id === null) throw this.#stoppedBefore("The input");
    return { id, duplicate };
  }

  /** By somebody, or by the end of the Pod, between the asking and the record. */
  #stoppedBefore(what: string): YoiError {
    const message = `${what} was stopped before it was on record: nothing of it is kept.`;
    return new YoiError(this.#isClosing ? "cancelled" : "not_running", message);
  }

  #stop(kind: "cancel" | "pause", params: ParamsOf<"cancel">): void {
    const { pod } = this.#options;
    const run = params.run ?? null;
    const cell = stateTable[kind][pod.driveState];
    if (pod.stop(kind, run) || cell === "nothing") return;
    const message =
      run === null ? stateSentences.not_running : `The run ${run} does not go on: nothing was stopped.`;
    throw new YoiError("not_running", message);
  }
}

function limitsOf(limits: RunLimitsParams | undefined): RunLimits {
  return { timeoutMs: limits?.timeout_ms ?? null };
}
