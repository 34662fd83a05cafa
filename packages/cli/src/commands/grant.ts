/** `yoi grant`: what the user allowed for always, and taking it back. */
import { escapeControls, YoiError } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { isoTime } from "@yoi/pod";
import { openGrantStore } from "../compose/granting.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { printTable } from "../output/table.ts";
import type { JsonFlag } from "../program/act.ts";

export async function grantList(flags: JsonFlag): Promise<number> {
  const host = nodeHost();
  const { grants: all, problems } = await openGrantStore(readEnvironment(), host).list();
  for (const problem of problems) process.stderr.write(`yoi: ${escapeControls(problem)}\n`);
  const now = host.clock.now();
  // What is pending lets nothing through: its answer is not on record yet.
  const grants = all.filter(({ state }) => state === "given");
  const isOver = (expires: number | null): boolean => expires !== null && expires <= now;
  if (flags.json === true) {
    const shown = grants.map(({ id, rule, workspace, given, expires, pod, tool, about }) => {
      return {
        id,
        rule,
        workspace,
        given_ms: given,
        expires_ms: expires,
        expired: isOver(expires),
        pod,
        tool,
        about,
      };
    });
    process.stdout.write(jsonLine({ grants: shown, problems }));
  } else if (grants.length === 0) process.stdout.write("Nothing is granted.\n");
  else
    printTable(
      ["ID", "RULE", "WORKSPACE", "UNTIL", "GIVEN", "POD"],
      grants.map(({ id, rule, workspace, expires, given, pod }) => [
        id,
        rule,
        workspace ?? "every one",
        expires === null ? "no end" : `${isoTime(expires)}${isOver(expires) ? " (over)" : ""}`,
        isoTime(given),
        pod,
      ]),
    );
  return exitCode.done;
}

export async function grantRevoke(id: string, flags: JsonFlag): Promise<number> {
  const store = openGrantStore(readEnvironment(), nodeHost());
  if (!(await store.remove(id)))
    throw new YoiError(
      "usage",
      `There is no grant ${JSON.stringify(id)}: \`yoi grant list\` shows all of them.`,
    );
  process.stdout.write(flags.json === true ? jsonLine({ revoked: id }) : `Revoked the grant ${id}.\n`);
  return exitCode.done;
}

/** For completion: what cannot be read is not offered. */
export async function grantIds(): Promise<readonly string[]> {
  const { grants } = await openGrantStore(readEnvironment(), nodeHost()).list();
  return grants.map(({ id }) => id);
}
