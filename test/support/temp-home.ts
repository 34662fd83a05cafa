/** A fresh machine for one test: a YOI_HOME, an empty workspace, and an environment with nothing of the developer's in it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TempHome extends Disposable {
  /** The folder above both; everything a test writes goes below it. */
  readonly root: string;
  /** YOI_HOME. */
  readonly home: string;
  readonly workspace: string;
  /** PATH, HOME, YOI_HOME and a plain locale: no credentials, no proxy, no XDG folders. */
  readonly env: Readonly<Record<string, string>>;
}

/** Use it with `using`: the folder goes when the block ends. */
export function tempHome(): TempHome {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-test-")));
  const home = join(root, "yoi");
  const workspace = join(root, "workspace");
  const user = join(root, "user");
  for (const folder of [home, workspace, user]) mkdirSync(folder, { mode: 0o700 });
  return {
    root,
    home,
    workspace,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: user, YOI_HOME: home, LANG: "C.UTF-8" },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
