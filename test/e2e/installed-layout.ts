/** A small copy of the published package: the real `bin/`, and a program of a few lines in the place of ours. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const platformPackage = `node-linux-${process.arch}`;

/** Prints who it is, then waits for signals, as the runtime does. */
const waitingProgram = (name: string, exported: string) => `
${exported} async function main(argv) {
  const about = { program: "${name}", pid: process.pid, node: process.version, argv, told: process.env.YOI_RUNS_BUNDLE };
  if (argv[0] === "wait") {
    const timer = setInterval(() => {}, 1000);
    for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]]) {
      process.on(signal, () => { clearInterval(timer); process.stdout.write(signal + "\\n"); process.exitCode = code; });
    }
  }
  process.stdout.write(JSON.stringify(about) + "\\n");
}
`;

export interface Layout extends Disposable {
  readonly root: string;
  /** The launcher. */
  readonly command: string;
  readonly script: string;
  readonly bundle: string;
  readonly source: string;
  /** Sets a file's time, in seconds from a moment long ago. */
  date(path: string, seconds: number): void;
}

/** `pinned`: with the Node 24 that npm ci installs. `source`: a checkout; without it only the bundle is there. */
export function makeLayout(options: { readonly pinned: boolean; readonly source: boolean }): Layout {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-layout-")));
  const cli = join(root, "packages/cli");
  const bundle = join(cli, "dist/yoi.cjs");
  const source = join(cli, "src/main.ts");
  const plant = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  cpSync(join(repository, "packages/cli/bin"), join(cli, "bin"), { recursive: true });
  plant(join(cli, "package.json"), '{ "type": "module" }\n');
  plant(bundle, waitingProgram("bundle", "exports.main ="));
  if (options.source) plant(source, waitingProgram("source", "export"));
  if (options.pinned) {
    mkdirSync(join(root, "node_modules"));
    symlinkSync(
      join(repository, "node_modules", platformPackage),
      join(root, "node_modules", platformPackage),
    );
  }
  return {
    root,
    command: join(cli, "bin/yoi"),
    script: join(cli, "bin/yoi.js"),
    bundle,
    source,
    date: (path, seconds) => utimesSync(path, 1_700_000_000 + seconds, 1_700_000_000 + seconds),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
