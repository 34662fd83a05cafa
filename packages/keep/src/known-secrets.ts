/** KnownSecrets: the values that this process has read, which must not come out of it again but to whom they are for. */
import { createRedactor, type KnownSecret, markOf, type Redactor } from "./redactor.ts";
import { whyNotSought } from "./secret-forms.ts";

export type { KnownSecret } from "./redactor.ts";

/** A text that comes in pieces. What may be the beginning of a value waits for the next piece. */
export interface TextStream {
  /** What can be passed on now. */
  add(piece: string): string;
  /** The rest. Where a text was cut off, leave it: it may be most of a value. */
  end(): string;
}

export interface ByteStream {
  add(piece: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

export interface KnownSecrets {
  /** From now on the value is taken out of everything, if it is one that is looked for (`whyNotSought`). */
  learn(secret: KnownSecret): void;
  /** Each form of each value as `[redacted: <id>]`; the same string when there is none. */
  readonly redact: (text: string) => string;
  /** The ids whose mark stands in the text. */
  marksIn(text: string): readonly string[];
  textStream(): TextStream;
  byteStream(): ByteStream;
}

interface Redactors {
  readonly text: Redactor;
  readonly bytes: Redactor;
}

export function createKnownSecrets(): KnownSecrets {
  const values = new Map<string, KnownSecret>();
  /** Null: nothing is known. */
  let redactors: Redactors | null = null;
  const streamOver = (redactor: () => Redactor | null): TextStream => {
    let waiting = "";
    return {
      add: (piece) => {
        const current = redactor();
        if (current === null) return piece;
        const { passed, waiting: rest } = current.piece(waiting + piece);
        waiting = rest;
        return passed;
      },
      end: () => {
        const text = waiting;
        waiting = "";
        return redactor()?.text(text) ?? text;
      },
    };
  };
  return {
    learn: (secret) => {
      if (whyNotSought(secret.value) !== null) return;
      // The first name stays: the variable that a value came from says more than the next one that holds the same.
      if (values.has(secret.value)) return;
      values.set(secret.value, secret);
      const all = [...values.values()];
      redactors = { text: createRedactor(all), bytes: createRedactor(all, { ofBytes: true }) };
    },
    marksIn: (text) => [
      ...new Set([...values.values()].filter(({ id }) => text.includes(markOf(id))).map(({ id }) => id)),
    ],
    redact: (text) => (redactors === null ? text : redactors.text.text(text)),
    textStream: () => streamOver(() => redactors?.text ?? null),
    byteStream: () => {
      const stream = streamOver(() => redactors?.bytes ?? null);
      return {
        add: (piece) =>
          redactors === null
            ? piece
            : Buffer.from(
                stream.add(Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString("latin1")),
                "latin1",
              ),
        end: () => Buffer.from(stream.end(), "latin1"),
      };
    },
  };
}
