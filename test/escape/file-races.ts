/** A workspace in which another process swaps files, directories and links all the time, and the real file tools on it. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { protectionOf, scopeRule } from "@yoi/scope";
import { createScopedFiles, featureFiles, type GrantedFiles, type ScopedFiles } from "@yoi/tools";
import { canary } from "./place.ts";

export interface Race {
  readonly workspace: string;
  readonly files: ScopedFiles;
  /** Of a feature, with a grant of each place that is swapped. */
  readonly handle: GrantedFiles;
  /** Throws when something outside is not as it was, or nothing is being swapped any more. */
  checkOutside(): void;
  /** Ends the swapping. */
  [Symbol.dispose](): void;
}

/** The swapping process ends, and the place goes, when this process does at the latest. */
export async function startRace(): Promise<Race> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-race-")));
  const [workspace, outside] = [join(root, "ws"), join(root, "outside")];
  mkdirSync(workspace);
  mkdirSync(join(outside, "deep"), { recursive: true });
  for (const name of ["secret.txt", "deep/secret.txt"]) writeFileSync(join(outside, name), `${canary}\n`);
  const flipper = spawn(process.execPath, [new URL("flipper.ts", import.meta.url).pathname, root], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await new Promise<void>((resolve, reject) => {
    flipper.stdout.once("data", () => resolve());
    flipper.once("exit", () => reject(new Error("the swapping process ended")));
  });
  // Neither the process nor its pipes keep this one alive.
  flipper.unref();
  for (const stream of [flipper.stdin, flipper.stdout])
    if ("unref" in stream && typeof stream.unref === "function") stream.unref();
  const protection = protectionOf({ workspace, home: null, own: [], spill: null });
  const scope = { allow: [scopeRule(workspace, "write")], deny: [] };
  return {
    workspace,
    files: createScopedFiles({ scope: () => scope, protection }),
    handle: featureFiles({
      enter: () => () => {},
      scope: () => scope,
      protection,
      workspace,
      grants: ["flip", "parent", "file", "away"].map((path) => ({ access: "write", path })),
    }),
    checkOutside: () => {
      if (flipper.exitCode !== null || flipper.signalCode !== null)
        throw new Error("the swapping process ended");
      const names = [readdirSync(outside).toSorted().join(), readdirSync(join(outside, "deep")).join()];
      const texts = ["secret.txt", "deep/secret.txt"].map((name) =>
        readFileSync(join(outside, name), "utf8"),
      );
      if (names.join("|") !== "deep,secret.txt|secret.txt" || texts.some((text) => text !== `${canary}\n`)) {
        throw new Error(`the outside was changed: ${names.join("|")} ${JSON.stringify(texts)}`);
      }
    },
    [Symbol.dispose]: () => flipper.stdin.end(),
  };
}
