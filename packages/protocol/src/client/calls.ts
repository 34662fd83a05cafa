/** Calls: the requests of a client, each settled once: by its answer, by the end of the connection that it went over, or by the end of the client. */
import { YoiError, type JsonObject } from "@yoi/base";
import { encodeLine } from "../encode-line.ts";
import { LineTooLong } from "../line-reader.ts";
import { frameBytesMax } from "../limits.ts";
import type { MethodName, Methods, Request } from "../method.ts";
import { BadPodLine, type Answer } from "../read-pod-line.ts";
import { readResult } from "../read-result.ts";
import { RequestRefused } from "./pod-client.ts";

type Send = (line: Uint8Array) => void;

interface Call {
  readonly line: Uint8Array;
  /** Throws BadPodLine where it is no result of its method. */
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

export class Calls {
  /** Given to a connection, and not answered. */
  readonly #sent = new Map<string, Call>();
  /** For the next connection. */
  readonly #waiting = new Map<string, Call>();
  #send: Send | null = null;
  #ended: Error | null = null;
  #made = 0;

  get ended(): boolean {
    return this.#ended !== null;
  }

  async make<M extends MethodName>(method: M, params: Methods[M]["params"]): Promise<Methods[M]["result"]> {
    if (this.#ended !== null) throw this.#ended;
    this.#made += 1;
    const id = String(this.#made);
    const line = lineOf({ id, method, params } as Request);
    return await new Promise<Methods[M]["result"]>((resolve, reject) => {
      const call: Call = { line, resolve: (result) => resolve(readResult(method, result)), reject };
      if (this.#send === null) this.#waiting.set(id, call);
      else this.#give(id, call, this.#send);
    });
  }

  /** A connection is there: what waited goes over it. */
  connected(send: Send): void {
    this.#send = send;
    for (const [id, call] of this.#waiting) this.#give(id, call, send);
    this.#waiting.clear();
  }

  /** The connection is over: nobody will answer what went over it. */
  lost(why: Error): void {
    this.#send = null;
    rejectAll(this.#sent, why);
  }

  /** There will be no other connection. */
  end(why: Error): void {
    this.#ended ??= why;
    this.lost(why);
    rejectAll(this.#waiting, why);
  }

  /** Throws RequestRefused for an error that is about the connection, and BadPodLine for an answer that nobody waits for. */
  answered(answer: Answer): void {
    const { id } = answer;
    if (id === null && "error" in answer) throw new RequestRefused(answer.error);
    const call = id === null ? undefined : this.#sent.get(id);
    if (id === null || call === undefined) {
      const about = "error" in answer ? `: ${answer.error.message}` : ".";
      throw new BadPodLine(`The Pod answered a request that nobody waits for${about}`);
    }
    if ("error" in answer) call.reject(new RequestRefused(answer.error));
    else call.resolve(answer.result);
    this.#sent.delete(id);
  }

  #give(id: string, call: Call, send: Send): void {
    this.#sent.set(id, call);
    send(call.line);
  }
}

function rejectAll(calls: Map<string, Call>, why: Error): void {
  const rejected = [...calls.values()];
  calls.clear();
  for (const call of rejected) call.reject(why);
}

function lineOf(request: Request): Uint8Array {
  try {
    return encodeLine(request);
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    throw new YoiError(
      "limit_exceeded",
      `The request ${request.method} has more than ${frameBytesMax} bytes: send less at once, or name a file instead of its text.`,
      { cause: error },
    );
  }
}
