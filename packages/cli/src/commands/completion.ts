/** `yoi completion`: the script that makes a shell complete yoi's command lines, and what such a script asks for. */
import { models } from "@yoi/model";
import { listPods } from "@yoi/pod";
import type { Command } from "commander";
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { type CommandShape, shapesOf } from "../completion/shape.ts";
import { zshScript } from "../completion/zsh.ts";
import { openStores } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";

export const completionShells = ["bash", "zsh", "fish"] as const;
export type CompletionShell = (typeof completionShells)[number];

const scripts: Readonly<Record<CompletionShell, (shapes: readonly CommandShape[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export async function completion(shell: CompletionShell, program: Command): Promise<number> {
  process.stdout.write(scripts[shell](shapesOf(program)));
  return exitCode.done;
}

/** One candidate a line. Pods from their metadata, models from the catalog: no log is opened, nothing is asked over a network. */
export async function complete(what: "pods" | "models"): Promise<number> {
  const names =
    what === "models"
      ? models.map(({ provider, id }) => `${provider}/${id}`)
      : (await listPods(openStores(readEnvironment()))).map(({ name }) => name);
  process.stdout.write(names.map((name) => `${name}\n`).join(""));
  return exitCode.done;
}
