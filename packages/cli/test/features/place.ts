/** A workspace and a config directory of one test. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface Place extends Disposable {
  readonly root: string;
  readonly workspace: string;
  readonly config: string;
  /** Writes a file below the root, parents included; its path. */
  plant(path: string, content: string | Uint8Array): string;
}

export function place(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-features-")));
  const workspace = join(root, "w");
  mkdirSync(workspace);
  return {
    root,
    workspace,
    config: join(root, "c"),
    plant: (path, content) => {
      const at = join(root, path);
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, content);
      return at;
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
