/** One call from a consumer to a provider: copied in, copied out, bounded in time, and nothing of either passes but values. */
import { isJsonObject, type JsonObject, type JsonValue, type Timers, YoiError } from "@yoi/base";
import type { FeatureId, ServiceDeclaration } from "@yoi/feature";
import { boundedText } from "../../hook/said.ts";
import { copiedJson } from "../copied-json.ts";

/** Bytes as JSON, of an input and of an output. */
export const serviceValueBytesMax = 64 * 1024;
/** Calls of one service that wait for their answer at the same time. */
export const serviceCallsMax = 64;
/** From a call to its answer. */
export const serviceCallMsMax = 5_000;

/** A service in force. Only the host holds one. */
export interface PublishedService {
  readonly provider: FeatureId;
  readonly declaration: ServiceDeclaration;
  /** The declared methods, and no others. */
  readonly methods: ReadonlyMap<string, (input: JsonObject) => Promise<JsonValue | undefined>>;
  /** Calls under way: each is ended with the sentence when the service goes away. */
  readonly underWay: Set<(why: string) => void>;
  /** Why it cannot be called any more; null while it can. */
  gone: string | null;
}

export interface ServiceCall {
  readonly consumer: FeatureId;
  /** One that the consumer asked for. */
  readonly method: string;
  readonly input: unknown;
}

export interface ServicePorts {
  readonly timers: Timers;
  readonly redact: (text: string) => string;
}

/**
 * Throws feature_invalid for an input that is no JSON object, limit_exceeded for a value over the limits and for a call too many, and
 * service_failed for everything that goes wrong at the provider.
 */
export async function callService(
  service: PublishedService,
  call: ServiceCall,
  ports: ServicePorts,
): Promise<JsonValue | undefined> {
  const { id } = service.declaration;
  const named = `${id} ${call.method}`;
  if (service.gone !== null)
    throw new YoiError("service_failed", `${named} cannot be called: ${service.gone}`);
  const method = service.methods.get(call.method);
  if (method === undefined) throw new Error(`a client calls what is not there: ${named}`);
  if (service.underWay.size >= serviceCallsMax) {
    throw new YoiError(
      "limit_exceeded",
      `${named} cannot be called now: ${serviceCallsMax} calls of ${id} wait for their answers, the most there can be.`,
    );
  }
  const what = `The input of ${call.consumer} for ${named}`;
  const input = copiedJson(call.input, { bytesMax: serviceValueBytesMax, what, invalid: "feature_invalid" });
  if (!isJsonObject(input)) throw new YoiError("feature_invalid", `${what} is no JSON object.`);
  const { value } = await answered(service, named, () => method(input), ports);
  if (value === undefined) return undefined;
  return copiedJson(value, {
    bytesMax: serviceValueBytesMax,
    what: `The answer of ${service.provider} to ${named}`,
    invalid: "service_failed",
  });
}

/**
 * What the provider settles with, unless the time is up or the service goes away first; its late answer is dropped. In an object: a value that
 * begins to look like a promise would be waited for a second time, without a limit.
 */
function answered(
  service: PublishedService,
  named: string,
  run: () => unknown,
  ports: ServicePorts,
): Promise<{ readonly value: unknown }> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      cancel();
      service.underWay.delete(fail);
      settle();
    };
    const fail = (why: string): void =>
      end(() => reject(new YoiError("service_failed", `${named} of ${service.provider} failed: ${why}`)));
    const cancel = ports.timers.after(serviceCallMsMax, () =>
      fail(`it gave no answer within ${serviceCallMsMax} ms.`),
    );
    service.underWay.add(fail);
    Promise.resolve()
      .then(run)
      .then(
        (value: unknown) => end(() => resolve({ value })),
        (error: unknown) => fail(boundedText(error, ports)),
      );
  });
}
