/** A loopback server that speaks the Anthropic Messages API. */
import { anthropicDialect } from "./anthropic-answer.ts";
import { startProviderServer, type ProviderServer, type ProviderServerOptions } from "./provider-server.ts";

export type { Answer, StreamAnswer } from "./provider-answer.ts";
export type { RecordedRequest } from "./provider-server.ts";
export { answerEvents, apiError, sseFrame } from "./anthropic-answer.ts";
export type AnthropicServer = ProviderServer;

/** Starts a server on a free port of 127.0.0.1; its `url` is without `/v1`. The caller closes it. */
export function startAnthropicServer(options: ProviderServerOptions): Promise<AnthropicServer> {
  return startProviderServer(anthropicDialect, options);
}
