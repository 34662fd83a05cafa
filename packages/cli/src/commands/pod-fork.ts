/** `yoi pod fork`: another Pod that goes on from a place in the logs of this one. */
import { escapeControls, flattenInput } from "@yoi/base";
import { forkPod } from "@yoi/pod";
import { openStores } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { isHost, ownerOf } from "../hosting/owner-of.ts";
import { jsonLine } from "../output/json-line.ts";
import { version } from "../version.ts";
import { segmentNamed } from "./segment-named.ts";
import { type PlaceFlags, targetOf } from "./pod-rewind.ts";

export interface ForkFlags extends PlaceFlags {
  readonly segment?: string;
}

export async function podFork(source: string, name: string, flags: ForkFlags): Promise<number> {
  const stores = openStores(readEnvironment());
  const { ids } = stores.host;
  const target = targetOf(flags);
  const made = await forkPod(stores, {
    source,
    name,
    target,
    ...(flags.segment === undefined ? {} : { from: segmentNamed(flags.segment) }),
    ids,
    version,
  });
  const { damage, input, kept, turns, session, segment } = made;
  if (flags.json === true) {
    const shown = { pod: made.name, source: made.source, session_id: session, segment_id: segment };
    process.stdout.write(jsonLine({ ...shown, kept, turns, input, damage }));
    return exitCode.done;
  }
  const isLive = isHost(await ownerOf(made.source, stores.lease));
  const beside = isLive
    ? ` ${made.source} is live and holds what it may write: stop it first, or give ${made.name} another part to write (--write DIR, --read-only).`
    : "";
  process.stdout.write(
    `${made.name} goes on from the entry ${kept} of ${made.source}, ${turns === 1 ? "1 turn" : `${turns} turns`} long: \`yoi run --pod ${made.name}\` or \`yoi pod start ${made.name}\`.${beside}\n`,
  );
  if (damage !== null)
    process.stderr.write(`yoi: ${escapeControls(damage)}; the fork has what is good before that.\n`);
  if (input !== null) process.stderr.write(`The input that is left behind:\n${flattenInput(input)}\n`);
  return exitCode.done;
}
