/** The terminal's door to a fresh machine, as the real program makes it; what it starts are real processes. */
import { fileURLToPath } from "node:url";
import { directories } from "@yoi/manifest";
import type { UiHost } from "@yoi/tui";
import { openStores } from "../../packages/cli/src/compose/stores.ts";
import type { Environment } from "../../packages/cli/src/environment.ts";
import { makeUiHost } from "../../packages/cli/src/ui/host.ts";
import type { TempHome } from "../support/temp-home.ts";

const program = fileURLToPath(new URL("../../packages/cli/bin/yoi.js", import.meta.url));

/** Pods are started by the program that runs: in a test file that is the test, so it says that it is the other one. */
export function uiHost({ env, workspace }: TempHome): UiHost {
  process.argv[1] = program;
  const environment: Environment = {
    variables: env,
    directories: directories(env),
    workingDirectory: () => workspace,
    home: env["HOME"] ?? null,
    stdin: "terminal",
    stdoutIsTerminal: true,
    stderr: { isTerminal: true, columns: 80 },
  };
  const reach = { environment, stores: openStores(environment), client: "test" };
  return makeUiHost({ reach, workspace, flags: { sandbox: "off" }, signal: new AbortController().signal });
}
