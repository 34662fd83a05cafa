/** The machine that the pictures are taken on: a home and a project of their own, and real Pods whose model is scripted. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempHome } from "../../test/support/temp-home.ts";

export const yoi = fileURLToPath(new URL("../../packages/cli/bin/yoi", import.meta.url));

/** Use it with `using`: its Pods are stopped and its folder goes with the block. */
export class Stage implements Disposable {
  readonly #home = tempHome();
  readonly #pods: string[] = [];

  /** @param project files by their path in the project. */
  constructor(project: Readonly<Record<string, string>>) {
    for (const [path, text] of Object.entries(project)) this.write(join("shop", path), text);
  }

  get env(): Readonly<Record<string, string>> {
    return { ...this.#home.env, YOI_HOME: this.#own };
  }

  /** Where a user has it who chose nothing else. */
  get #own(): string {
    return join(this.folder, ".yoi");
  }

  /** Above the projects: what a picture shows as `~`. */
  get folder(): string {
    return this.#home.env["HOME"] ?? this.#home.root;
  }

  get project(): string {
    return join(this.folder, "shop");
  }

  /** @param path below `folder`. */
  write(path: string, text: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  config(text: string): void {
    this.#configFile("config.toml", text);
  }

  profile(name: string, text: string): void {
    this.#configFile(join("profiles", `${name}.toml`), text);
  }

  #configFile(path: string, text: string): void {
    const file = join(this.#own, "config", path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, text, { mode: 0o600 });
  }

  /** Runs a command of yoi to its end. */
  yoi(...args: readonly string[]): string {
    return execFileSync(yoi, args, {
      cwd: this.project,
      env: this.env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** A Pod in its own folder, whose model plays this scenario. */
  start(name: string, scenario: string): void {
    this.write(join(name, "model.yaml"), scenario);
    this.yoi("pod", "start", name, "-m", "scripted/model.yaml", "-C", join(this.folder, name));
    this.#pods.push(name);
  }

  stop(name: string): void {
    this.yoi("pod", "stop", name);
    this.#pods.splice(this.#pods.indexOf(name), 1);
  }

  [Symbol.dispose](): void {
    for (const name of this.#pods.splice(0)) this.yoi("pod", "stop", name);
    this.#home[Symbol.dispose]();
  }
}
