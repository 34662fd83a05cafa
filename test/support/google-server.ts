/** A loopback server that speaks the Gemini API, and the events that a described answer becomes on it. */
import {
  defaultUsage,
  pieces,
  rawArguments,
  type AnswerBlock,
  type Dialect,
  type Frame,
  type HttpAnswer,
  type StreamAnswer,
} from "./provider-answer.ts";
import { startProviderServer, type ProviderServer, type ProviderServerOptions } from "./provider-server.ts";

/** Google ends its lines with CRLF. */
export function googleFrame(event: unknown): string {
  return `data: ${JSON.stringify(event)}\r\n\r\n`;
}

/** The signature of a call: a block of an answer that is signed whatever the answer says. */
export function callSignature(index: number): string {
  return Buffer.from(`call ${index}`).toString("base64");
}

/** A call comes whole; text and thoughts come in pieces, the last one signed. */
function partsOf(block: AnswerBlock, index: number, length: number | undefined): object[] {
  switch (block.type) {
    case "text":
      return [...pieces(block.text, length)].map((text) => ({ text }));
    case "reasoning": {
      const texts = block.text === "" ? [""] : [...pieces(block.text, length)];
      return texts.map((text, at) => ({
        text,
        thought: true,
        ...(block.signature !== undefined &&
          at === texts.length - 1 && { thoughtSignature: block.signature }),
      }));
    }
    case "redacted_reasoning":
      return [{ text: "", thought: true, thoughtSignature: block.data }];
    case "tool_call": {
      const raw = rawArguments(block);
      const functionCall = {
        ...(block.id !== undefined && { id: block.id }),
        name: block.name,
        ...(raw !== "" && { args: JSON.parse(raw) as unknown }),
      };
      return [{ functionCall, thoughtSignature: callSignature(index) }];
    }
  }
}

function finishReasonOf({ ended, stop }: StreamAnswer): string {
  if (stop !== undefined) return stop;
  if (ended === undefined) return "STOP";
  return ended === "length" ? "MAX_TOKENS" : "SAFETY";
}

/** The event with these parts. Each has the counts of the answer so far. */
export function googleEvent(parts: readonly object[], usage: object, more: object = {}): object {
  return {
    candidates: [{ content: { parts, role: "model" }, index: 0, ...more }],
    usageMetadata: usage,
    modelVersion: "gemini-test",
    responseId: "loopback",
  };
}

function framesOf(answer: StreamAnswer): Frame[] {
  const { input, output, cacheRead, cacheWrite } = { ...defaultUsage, ...answer.usage };
  const counts = (candidatesTokenCount: number): object => ({
    promptTokenCount: input + cacheRead + cacheWrite,
    candidatesTokenCount,
    totalTokenCount: input + cacheRead + cacheWrite + candidatesTokenCount,
    ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
  });
  const parts = answer.blocks.flatMap((block, index) => partsOf(block, index, answer.pieceLength));
  return [
    ...Array.from({ length: answer.pingsFirst ?? 0 }, (): Frame => ({ text: ": alive\r\n\r\n" })),
    ...parts.map((part): Frame => ({ text: googleFrame(googleEvent([part], counts(1))), delta: true })),
    {
      text: googleFrame(
        googleEvent([{ text: "" }], counts(output), { finishReason: finishReasonOf(answer) }),
      ),
      terminal: true,
    },
  ];
}

export const googleDialect: Dialect = {
  frames: framesOf,
  errorFrame: ({ type, message }) => ({
    text: googleFrame({ error: { code: 503, message, status: type } }),
  }),
};

/** What the provider answers to a request that it refuses. `status`: its name for that; `details`: as Google words them. */
export function googleError(
  code: number,
  status: string | null,
  message: string,
  more: { readonly headers?: Record<string, string>; readonly details?: readonly object[] } = {},
): HttpAnswer {
  const { headers = {}, details } = more;
  const error = { code, message, ...(status !== null && { status }), ...(details && { details }) };
  return { status: code, headers, body: { error } };
}

/** Starts a server on a free port of 127.0.0.1; its `url` is without `/v1beta`. The caller closes it. */
export function startGoogleServer(options: ProviderServerOptions): Promise<ProviderServer> {
  return startProviderServer(googleDialect, options);
}
