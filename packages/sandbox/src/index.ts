/** Starts a process that can do exactly what a scope allows. */
export { createCommandRunner, type RunnerOptions } from "./create-runner.ts";
export type { Environment } from "./environment.ts";
export { ownStdio } from "./inherited.ts";
export { isAllowedInSandbox } from "./permission-bits.ts";
export { bubblewrapVersion } from "./probe.ts";
export { fixedEntriesMax } from "./project-places.ts";
export { resolveProtection } from "./resolve-protection.ts";
export type { Command, CommandEnd, CommandExit, CommandRunner, Program, SandboxStatus } from "./runner.ts";
export { firstDescriptor } from "./runner.ts";
export { findToolchains } from "./toolchains.ts";
