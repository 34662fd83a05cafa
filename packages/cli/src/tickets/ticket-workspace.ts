/** Whose tickets a command is about: those of the workspace that was named, else of the nearest directory upward that has tickets or a repository. */
import { dirname, join } from "node:path";
import { namedWorkspace } from "../compose/configuration.ts";
import { inspect } from "../compose/secrets.ts";
import type { Environment } from "../environment.ts";

/** Where the tickets of a workspace are. */
export function ticketRootOf(workspace: string): string {
  return join(workspace, ".yoi", "tickets");
}

/**
 * Canonical. A directory that is named is taken as it is. Upward it goes only as far as directories are the user's (or, where the first one is somebody
 * else's, are not), and so has to be what is found there: what others keep or put above a directory is not its own. Throws workspace_missing and usage, as for every command.
 */
export async function ticketWorkspace(named: string | undefined, environment: Environment): Promise<string> {
  const here = await namedWorkspace(named, environment);
  if (named !== undefined) return here;
  const isOwn = (await inspect(here))?.own;
  for (let place = here; dirname(place) !== place; place = dirname(place)) {
    if ((await inspect(place))?.own !== isOwn) break;
    // A link in the place of tickets is refused when they are opened, not passed over here.
    for (const sign of [ticketRootOf(place), join(place, ".git")])
      if ((await inspect(sign))?.own === isOwn) return place;
  }
  return here;
}
