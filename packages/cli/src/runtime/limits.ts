/** What providers said of an account's limits, in the runtime directory: a hint for all Pods of this user, and never more than that. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { cutUtf8, escapeControls, isJsonObject, YoiError } from "@yoi/base";
import type { Host } from "@yoi/host";
import type { Directories } from "@yoi/manifest";
import { type KnownLimit, type LimitBoard, limitMsMax } from "@yoi/model";
import { readSmallFile } from "../compose/read-small-file.ts";
import { checkDirectories } from "./check.ts";
import { makePrivate, ownLooker } from "./runtime.ts";

/** The largest file that is read. */
export const limitFileBytesMax = 4096;
/** Of what a provider said. */
export const limitMessageBytesMax = 1024;

/** Whom a provider counts requests for. */
export interface Account {
  readonly provider: string;
  readonly baseUrl: string;
  /** Never written: a digest of it is part of a digest. */
  readonly apiKey: string | null;
}

export interface LimitPorts {
  readonly directories: Directories;
  readonly host: Pick<Host, "files" | "clock">;
  /** A sentence for the user. */
  readonly say: (text: string) => void;
}

/** Null: the runtime directory is not safe, and what stands there may be others'. */
export function limitBoardOf(account: Account, ports: LimitPorts): LimitBoard | null {
  try {
    checkDirectories(ports.directories, limitsIn(ports.directories), ownLooker());
  } catch (error) {
    if (error instanceof YoiError && error.code === "runtime_unsafe") return null;
    throw error;
  }
  return fileBoard(account, ports);
}

/** Where the limit of an account stands. */
export function limitPath(directories: Directories, { provider, baseUrl, apiKey }: Account): string {
  const digest = (text: string) => createHash("sha256").update(text).digest("hex");
  const key = apiKey === null ? null : digest(apiKey);
  return join(limitsIn(directories), `${digest(JSON.stringify([provider, baseUrl, key]))}.json`);
}

function limitsIn({ runtime }: Directories): string {
  return join(runtime, "limits");
}

function fileBoard(account: Account, { directories, host, say }: LimitPorts): LimitBoard {
  const { files, clock } = host;
  const path = limitPath(directories, account);
  const kept = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof YoiError)) throw error;
      say(`The limit of ${account.provider} could not be ${what} for other Pods: ${error.message}`);
    }
  };
  const known = async (): Promise<KnownLimit | null> => {
    const file = await readSmallFile(path, limitFileBytesMax);
    return file.kind === "read" ? readLimit(file.text, clock.now()) : null;
  };
  return {
    known,
    tell: ({ untilMs, message }) =>
      kept("noted", async () => {
        const directory = limitsIn(directories);
        checkDirectories(directories, directory, ownLooker());
        await makePrivate([directories.runtime, directory], directories, files);
        const until = Math.min(untilMs, clock.now() + limitMsMax);
        if (((await known())?.untilMs ?? 0) >= until) return;
        const limit = {
          until,
          provider: account.provider,
          message: cutUtf8(message, limitMessageBytesMax),
        };
        await files.replace(path, Buffer.from(JSON.stringify(limit)));
      }),
    clear: () => kept("taken back", () => files.removeFile(path)),
  };
}

/** Null: it is none that yoi wrote, or one of a clock that was ahead. */
export function readLimit(text: string, nowMs: number): KnownLimit | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isJsonObject(value)) return null;
  const { until, message } = value;
  if (!Number.isSafeInteger(until) || typeof until !== "number" || typeof message !== "string") return null;
  if (until > nowMs + limitMsMax) return null;
  return { untilMs: until, message: cutUtf8(escapeControls(message), limitMessageBytesMax) };
}
