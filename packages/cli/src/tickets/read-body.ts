/** What is to be written into a ticket: text of the command line, a file, or standard input. */
import { createReadStream } from "node:fs";
import { isUtf8 } from "node:buffer";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { YoiError } from "@yoi/base";
import { bodyBytesMax } from "@yoi/tickets";
import type { StdinKind } from "../environment.ts";
import { sayIfSlow, type SlowPorts } from "../say-if-slow.ts";

export interface BodyFlags {
  /** A path, or - for standard input. */
  readonly file?: string;
}

export interface BodySource extends SlowPorts {
  readonly stdin: StdinKind;
  readonly workingDirectory: () => string;
  /** Standard input. */
  readonly bytes: Readable;
}

export interface Wanted {
  /** As in "the comment". */
  readonly what: string;
  /** How it is given, for whoever gave none: a command line. */
  readonly example: string;
}

/** Not empty. Without text and file it is standard input, unless that is a terminal. Throws usage, limit_exceeded, and what the disk says. */
export async function readBody(
  text: string | undefined,
  { file }: BodyFlags,
  wanted: Wanted,
  source: BodySource,
): Promise<string> {
  const given = text === undefined && file === undefined && source.stdin !== "terminal" ? "-" : file;
  const body = await readGiven(text, given, wanted, source);
  if (body === undefined)
    throw new YoiError(
      "usage",
      `There is no text for ${wanted.what}: ${wanted.example}, --file FILE, or - for standard input.`,
    );
  if (body.trim() === "")
    throw new YoiError("usage", `The text of ${wanted.what} is empty: ${wanted.example}.`);
  return body;
}

/** Where there need be none: "". Only a pipe and a regular file on standard input are read unasked; what else stands there may be open without meaning anything. */
export async function readBodyIfAny(
  text: string | undefined,
  { file }: BodyFlags,
  wanted: Wanted,
  source: BodySource,
): Promise<string> {
  const given = text === undefined && file === undefined && source.stdin === "pipe" ? "-" : file;
  return (await readGiven(text, given, wanted, source)) ?? "";
}

async function readGiven(
  text: string | undefined,
  file: string | undefined,
  wanted: Wanted,
  source: BodySource,
): Promise<string | undefined> {
  if (text !== undefined && file !== undefined)
    throw new YoiError(
      "usage",
      `Both a text and a file are given for ${wanted.what}: leave one of them out.`,
    );
  if ((file ?? text) === "-") return readStandardInput(wanted, source);
  return file === undefined ? text : readNamed(file, source);
}

async function readNamed(file: string, source: BodySource): Promise<string> {
  const path = resolve(source.workingDirectory(), file);
  // A FIFO that nobody writes into, for one.
  return textOf(await sayIfSlow(source, `Waiting for ${path}.`, () => readFile(path)), path);
}

async function readStandardInput({ what }: Wanted, source: BodySource): Promise<string> {
  const hint =
    source.stdin === "terminal" ? "end it with Ctrl-D" : "if nothing comes, start yoi again with </dev/null";
  const waiting = `Waiting for the text of ${what} on standard input: ${hint}.`;
  const where = "Standard input";
  return textOf(await sayIfSlow(source, waiting, () => readAll(source.bytes, where)), where);
}

async function readFile(path: string): Promise<Uint8Array> {
  try {
    return await readAll(createReadStream(path), path);
  } catch (error) {
    if (error instanceof YoiError || !(error instanceof Error && "code" in error)) throw error;
    throw new YoiError("usage", `${path} cannot be read (${String(error.code)}): name a file with text.`, {
      cause: error,
      place: { path },
    });
  }
}

async function readAll(stream: AsyncIterable<Uint8Array>, where: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > bodyBytesMax)
      throw new YoiError(
        "limit_exceeded",
        `${where} holds more than ${bodyBytesMax} bytes, the most that a text of a ticket may have: put it into a file of the project and name that.`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function textOf(bytes: Uint8Array, where: string): string {
  if (!isUtf8(bytes))
    throw new YoiError("usage", `${where} is not UTF-8 text: convert it first, nothing was written.`);
  return Buffer.from(bytes).toString("utf8");
}
