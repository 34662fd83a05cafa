/** `yoi profile list`: the profiles that a Pod of this workspace can be started with, and what is wrong with those that it cannot. */
import { namedWorkspace } from "../compose/configuration.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { printTable } from "../output/table.ts";
import { listProfiles, type ProfileListing } from "../profiles/choose-profile.ts";
import type { JsonFlag } from "../program/act.ts";

export interface ProfileFlags extends JsonFlag {
  readonly cd?: string;
}

export async function profileList(flags: ProfileFlags): Promise<number> {
  const environment = readEnvironment();
  const workspace = await namedWorkspace(flags.cd, environment);
  const profiles = await listProfiles(environment, workspace);
  if (flags.json === true) {
    process.stdout.write(jsonLine({ workspace, profiles: profiles.map(profileJson) }));
    return exitCode.done;
  }
  printTable(
    ["PROFILE", "DESCRIPTION"],
    profiles.map(({ selector, description, problem }) => [
      selector,
      problem === undefined ? description : `cannot be used: ${problem}`,
    ]),
  );
  return exitCode.done;
}

function profileJson({ selector, description, problem }: ProfileListing) {
  const colon = selector.indexOf(":");
  return {
    selector,
    source: selector.slice(0, colon),
    name: selector.slice(colon + 1),
    description,
    problem: problem ?? null,
  };
}
