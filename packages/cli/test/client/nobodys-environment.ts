/** An environment in which there is nothing, for what looks at none of it. */
import type { Environment } from "../../src/environment.ts";

export const nobodysEnvironment: Environment = {
  variables: {},
  directories: { config: "/nowhere/c", data: "/nowhere/d", runtime: "/nowhere/r" },
  workingDirectory: () => "/nowhere",
  home: null,
  stdin: "other",
  stdoutIsTerminal: false,
  stderr: { isTerminal: false, columns: 80 },
};
