/** The value of a secret from standard input: a line typed without an echo, or what a pipe brings. */
import { isUtf8 } from "node:buffer";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { YoiError } from "@yoi/base";
import { secretBytesMax } from "@yoi/keep";
import type { StdinKind } from "./environment.ts";

/** Without the one line end behind it. Throws `usage` and `limit_exceeded`, and `cancelled` for a prompt that was left. */
export async function readSecret(stdin: StdinKind, id: string): Promise<string> {
  return stdin === "terminal" ? prompt(id) : valueOf(await readAll(process.stdin));
}

/** @param bytes what stood on standard input. */
export function valueOf(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new YoiError("usage", "The value on standard input is not UTF-8 text.");
  const value = Buffer.from(bytes)
    .toString("utf8")
    .replace(/\r?\n$/, "");
  if (value === "") {
    throw new YoiError(
      "usage",
      "There is no value on standard input: type it at a terminal, or send it through a pipe.",
    );
  }
  return value;
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    // The store judges the value itself; this only ends the reading of what cannot be one.
    if (size > 2 * secretBytesMax) {
      throw new YoiError(
        "limit_exceeded",
        `The value on standard input has more than ${secretBytesMax} bytes, and no more are kept.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The line editor echoes into nothing. */
function prompt(id: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  // The terminal echoes nothing from here on, and only now is somebody asked to type.
  process.stderr.write(`Value of ${id} (it is not shown): `);
  return new Promise((resolve, reject) => {
    let line: string | null = null;
    lines.once("line", (text) => {
      line = text;
      lines.close();
    });
    lines.once("SIGINT", () => lines.close());
    lines.once("close", () => {
      process.stderr.write("\n");
      if (line === null) reject(new YoiError("cancelled", "Nothing was typed: no secret is kept."));
      else if (line === "") reject(new YoiError("usage", "The value of the secret is empty."));
      else resolve(line);
    });
  });
}
