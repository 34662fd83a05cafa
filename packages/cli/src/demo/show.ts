/** What the demos share: a folder of their own, signals, and claims that are said one by one. */
import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openStores } from "../compose/stores.ts";
import { type Environment, readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import type { JsonFlag } from "../program/act.ts";
import { onStopSignals } from "../signals.ts";
import type { Claim } from "./claims.ts";

export interface DemoFlags extends JsonFlag {
  readonly keep?: boolean;
}

export interface Stage {
  /** A folder that is there for this demo alone. */
  readonly root: string;
  readonly environment: Environment;
  /** The same with data, configuration and sockets below `root`. */
  readonly inner: Environment;
  readonly stopped: AbortSignal;
  readonly say: (text: string) => void;
}

export interface Demo {
  /** Ends all that it started, also when it throws. */
  readonly play: (stage: Stage) => Promise<readonly Claim[]>;
  /** Arguments of a command that shows something of what is kept. */
  readonly look: string;
}

/** The exit code: done when every claim holds. */
export async function showDemo(flags: DemoFlags, { play, look }: Demo): Promise<number> {
  const environment = readEnvironment();
  const { files, ids } = openStores(environment).host;
  // As it really lies: nothing is lent through a link.
  const temporary = resolve(environment.workingDirectory(), tmpdir());
  await files.makeDirectory(temporary);
  const root = join(await realpath(temporary), `yoi-demo-${ids.uuidV7()}`);
  const home = join(root, "home");
  const say = (text: string): void => {
    if (flags.json !== true) process.stdout.write(`${text}\n`);
  };
  const stopping = new AbortController();
  const signals = onStopSignals(() => stopping.abort());
  try {
    const inner = {
      ...environment,
      variables: { ...environment.variables, YOI_HOME: home },
      directories: { data: home, config: join(home, "config"), runtime: join(home, "run") },
    };
    const claims = await play({ root, environment, inner, stopped: stopping.signal, say });
    const good = claims.every((claim) => claim.holds);
    const folder = flags.keep === true ? { folder: root } : {};
    if (flags.json === true) process.stdout.write(jsonLine({ ok: good, claims, ...folder }));
    for (const { claim, holds, evidence } of claims) say(`${holds ? "✔" : "✘"} ${claim}\n    ${evidence}`);
    return good ? exitCode.done : exitCode.failed;
  } catch (error) {
    if (signals.received === null) throw error;
    return signals.received === "SIGINT" ? exitCode.interrupted : exitCode.terminated;
  } finally {
    signals.dispose();
    if (flags.keep === true) say(`\nThe folder is kept: YOI_HOME=${home} yoi ${look}`);
    else await files.removeTree(root);
  }
}
