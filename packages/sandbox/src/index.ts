/** Starts a process that can do exactly what a scope allows. */
export type { Command, CommandExit, CommandRunner, SandboxStatus } from "./runner.ts";
