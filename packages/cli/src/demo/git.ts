/** Running git for a demo, in its repository and by nobody's configuration. */
import { spawn } from "node:child_process";
import { YoiError } from "@yoi/base";
import type { Ended } from "./child.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

/** Of a person who has no configuration for git, and whose shell is in no repository. */
export function withoutGit(variables: Variables): Variables {
  const kept = Object.entries(variables).filter(
    ([name]) => !name.startsWith("GIT_") && name !== "XDG_CONFIG_HOME",
  );
  return { ...Object.fromEntries(kept), GIT_CONFIG_NOSYSTEM: "1" };
}

export interface Git {
  /** What it printed. Throws io_failed where it does not end with 0. */
  (...args: readonly string[]): Promise<string>;
}

const person = ["-c", "user.name=you", "-c", "user.email=you@localhost", "-c", "init.defaultBranch=main"];

/** @param variables as `withoutGit` gives them. */
export function gitIn(cwd: string, variables: Variables, stopped: AbortSignal): Git {
  return async (...args) => {
    const { code, stdout, stderr } = await ran("git", [...person, ...args], { cwd, variables, stopped });
    if (code === 0) return stdout.trimEnd();
    throw new YoiError(
      "io_failed",
      `\`git ${args.join(" ")}\` of the demo ended with ${code}: ${stderr.trim()}`,
    );
  };
}

interface Where {
  readonly cwd: string;
  readonly variables: Variables;
  readonly stopped: AbortSignal;
}

/** A program to its end; the signal ends it. Throws config_invalid where it is not there. */
export function ran(
  program: string,
  args: readonly string[],
  { cwd, variables, stopped }: Where,
): Promise<Ended> {
  stopped.throwIfAborted();
  const output = { stdout: "", stderr: "" };
  const child = spawn(program, args, {
    cwd,
    env: { ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    signal: stopped,
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "ENOENT"
          ? new YoiError(
              "config_invalid",
              `This demo needs ${program}, which is nowhere in PATH: install it.`,
            )
          : error,
      ),
    );
    child.on("close", (code) => resolve({ code, ...output }));
  });
}
