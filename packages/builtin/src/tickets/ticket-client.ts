/** TicketClient: the service of tickets as those of this folder call it: an answer, or what the store said against it. */
import { isErrorCode, isJsonObject, type JsonObject, YoiError } from "@yoi/base";
import type { ServiceClient } from "@yoi/feature";
import type { TicketMethod } from "./ticket-service.ts";

export type TicketClient = (method: TicketMethod, input: JsonObject) => Promise<JsonObject>;

/** Throws what the store refused with its own code, and service_failed where there was no answer. */
export function ticketClient(client: Pick<ServiceClient, "call">): TicketClient {
  return async (method, input) => {
    const answer = await client.call(method, input);
    const { ok, refused } = isJsonObject(answer) ? answer : {};
    if (isJsonObject(ok)) return ok;
    const { code, message } = isJsonObject(refused) ? refused : {};
    if (typeof code === "string" && typeof message === "string")
      throw new YoiError(isErrorCode(code) ? code : "service_failed", message);
    throw new YoiError("service_failed", `The service of tickets gave no answer to ${method} that is one.`);
  };
}
