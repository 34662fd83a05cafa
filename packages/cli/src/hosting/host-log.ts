/** What a hosting process says, a line each with its time, on stderr; detached that is a file, which is kept small. */
import { dirname, join } from "node:path";
import { type Clock, escapeControls, type PodName } from "@yoi/base";
import { type Host, moveTree } from "@yoi/host";
import { isoTime } from "@yoi/pod";

/** Bytes of a log before it is begun anew; the one before is kept. */
export const hostLogBytesMax = 4 * 1024 * 1024;

/** The output of a Pod's last detached process, and of the one before. */
export function hostLogsOf(
  dataDir: string,
  pod: PodName,
): { readonly last: string; readonly before: string } {
  const last = join(dataDir, "hosts", `${pod}.log`);
  return { last, before: `${last}.1` };
}

/** Where a process that is being started writes until it holds the Pod. `unique`: of a UUID's characters, another for each. */
export function startingLogOf(dataDir: string, pod: PodName, unique: string): string {
  return join(dataDir, "hosts", `.${pod}.${unique}.log`);
}

/** All of a Pod's: those that a start left which was killed too. */
export async function removeHostLogs(files: Host["files"], dataDir: string, pod: PodName): Promise<void> {
  const { last, before } = hostLogsOf(dataDir, pod);
  for (const path of [last, before]) await files.removeFile(path);
  await removeStartingLogs(files, dataDir, pod);
}

/** What starts left that were killed, or that wait for a Pod which another process holds. For who holds the Pod's lease. */
export async function removeStartingLogs(files: Host["files"], dataDir: string, pod: PodName): Promise<void> {
  const directory = dirname(hostLogsOf(dataDir, pod).last);
  const left = (await files.list(directory)).filter((name) => isStartingLog(name, pod));
  for (const name of left) await files.removeFile(join(directory, name));
}

export function isStartingLog(name: string, pod: PodName): boolean {
  const head = `.${pod}.`;
  return name.startsWith(head) && /^[0-9a-f-]{36}\.log$/.test(name.slice(head.length));
}

interface LogPorts {
  readonly files: Host["files"];
  readonly clock: Clock;
  readonly write: (line: string) => void;
}

export class HostLog {
  readonly #ports: LogPorts;
  #file: { readonly last: string; readonly before: string } | null = null;
  #bytes = 0;
  /** Lines that were said while the log is begun anew. */
  #waiting: string[] | null = null;
  #settled: Promise<void> = Promise.resolve();

  constructor(ports: LogPorts) {
    this.#ports = ports;
  }

  readonly say = (text: string): void => {
    this.#put(`${isoTime(this.#ports.clock.now())} ${escapeControls(text)}\n`);
  };

  /** Resolves when what is being done to the file is done. Never rejects. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  /**
   * The file that takes this process's output so far gets the Pod's name, and the one of the process before is kept beside it. Only for who holds the
   * Pod's lease. Throws as `Files` does.
   */
  async takePlace(current: string, logs: { readonly last: string; readonly before: string }): Promise<void> {
    const { files } = this.#ports;
    if ((await files.stat(logs.last)) !== null) {
      await files.removeFile(logs.before);
      await moveTree(logs.last, logs.before);
    }
    await moveTree(current, logs.last);
    await files.syncDirectory(dirname(logs.last));
    this.#file = logs;
    this.#bytes = (await files.stat(logs.last))?.bytes ?? 0;
  }

  #put(line: string): void {
    if (this.#waiting !== null) {
      this.#waiting.push(line);
      return;
    }
    this.#ports.write(line);
    this.#bytes += Buffer.byteLength(line);
    if (this.#file !== null && this.#bytes >= hostLogBytesMax) this.#settled = this.#beginAnew(this.#file);
  }

  async #beginAnew({ last, before }: { readonly last: string; readonly before: string }): Promise<void> {
    const { files } = this.#ports;
    const waiting: string[] = [];
    this.#waiting = waiting;
    let failure: unknown = null;
    try {
      const file = await files.openAppend(last);
      try {
        await files.replace(before, await files.readRange(last, 0, 2 * hostLogBytesMax));
        await file.truncate(0);
      } finally {
        await file.close();
      }
    } catch (error) {
      failure = error;
    }
    this.#waiting = null;
    this.#bytes = 0;
    // Another time, then: a log that grows is better than none.
    if (failure !== null) this.say("This log could not be begun anew.");
    for (const line of waiting) this.#put(line);
  }
}
