/** Trees to search in: the names and contents that a repository of somebody else may have. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { JsonObject, Scope, Tool } from "@yoi/base";
import { callId, podName, YoiError } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { type CommandRunner, createCommandRunner } from "@yoi/sandbox";
import { type Protection, protectionOf, scopeRule } from "@yoi/scope";
import { createScopedFiles } from "@yoi/tools";
import { globTool } from "../../packages/tools/src/glob-tool.ts";
import { grepTool } from "../../packages/tools/src/grep-tool.ts";

export const canary = "CANARY-51d0";

export interface SearchPlace {
  readonly root: string;
  readonly workspace: string;
  readonly protection: Protection;
  scope: Scope;
  put(name: string | Buffer, content: string | Uint8Array): void;
  remove(): void;
}

export function makeSearchPlace(): SearchPlace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-search-")));
  chmodSync(root, 0o755);
  const workspace = join(root, "ws");
  mkdirSync(workspace);
  const place: SearchPlace = {
    root,
    workspace,
    protection: protectionOf({
      workspace,
      home: join(root, "home"),
      own: [join(root, "data"), join(workspace, "own")],
      spill: join(root, "data/spill/search"),
    }),
    scope: { allow: [scopeRule(workspace, "write")], deny: [] },
    put: (name, content) => {
      const path = Buffer.concat([Buffer.from(`${workspace}/`), Buffer.from(name)]);
      const cut = path.lastIndexOf("/");
      mkdirSync(path.subarray(0, cut), { recursive: true });
      writeFileSync(path, content);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  return place;
}

/** One place with everything that is odd in it. */
export function putOddities(place: SearchPlace): void {
  const { workspace, root, put } = place;
  const at = (name: string) => join(workspace, name);
  put("plain.txt", "one needle\ntwo\nthree needle needle\n");
  put("src/a.ts", "// needle a\nconst x = 1;\n\n\n\nneedle again\nlast");
  put("src/a.tsx", "needle x\n");
  put("src/a-b.ts", "needle between\n");
  put("src/a/deep.ts", "needle below a\n");
  put("a b c/with space.txt", "needle in spaces\n");
  put("new\nline/new\nline.txt", "needle\n");
  put("quote'\\\"$(x).txt", "needle\n");
  put("\u202eevil.txt", "needle\n");
  put("ansi\u001b[31m.txt", "needle \u001b[31mred\n");
  put(Buffer.from([0x62, 0x61, 0x64, 0xff, 0x2e, 0x74, 0x78, 0x74]), "needle in a bad name\n");
  put(
    Buffer.concat([Buffer.from("dir"), Buffer.from([0xfe]), Buffer.from("/in.txt")]),
    "needle in a bad directory\n",
  );
  put(`${"n".repeat(251)}.txt`, "needle in a long name\n");
  put("日本語/ファイル.txt", "針 needle ü\n");
  put(`${"deep/".repeat(60)}end.txt`, "needle at the end\n");
  put(".hidden.txt", "needle hidden\n");
  put(".config/x.txt", "needle hidden\n");
  put(".github/workflow.yml", "needle kept\n");
  put(".git/config", "needle git\n");
  put(".git/info/exclude", "excluded.txt\n");
  put("excluded.txt", "needle excluded\n");
  put(".gitignore", "*.log\nbuild/\n!keep.log\n/only-top.txt\n!.github\nsrc/**/gen\n\\#odd\n*.tm[p-q]\n");
  put("x.log", "needle log\n");
  put("keep.log", "needle kept log\n");
  put("build/out.txt", "needle built\n");
  put("build/keep.log", "needle built\n");
  put("only-top.txt", "needle\n");
  put("sub/only-top.txt", "needle sub\n");
  put("sub/.gitignore", "!*.log\nsecret*\n");
  put("sub/y.log", "needle un-ignored\n");
  put("sub/secret.txt", "needle\n");
  put("sub/.ignore", "!secret-kept.txt\nby-ignore.txt\n");
  put("sub/secret-kept.txt", "needle kept\n");
  put("sub/by-ignore.txt", "needle\n");
  put("sub/.rgignore", "!by-ignore.txt\nby-rgignore.txt\n");
  put("sub/by-rgignore.txt", "needle\n");
  put("src/x/gen/g.ts", "needle generated\n");
  put("#odd", "needle\n");
  put("z.tmp", "needle\n");
  put("z.tmr", "needle\n");
  put("nested/.git/config", "[core]\n");
  put("nested/x.log", "needle nested log\n");
  put("binary.bin", Buffer.from("needle\n\0needle\n"));
  put("late.bin", `needle\n${"x".repeat(200_000)}\n\0\n`);
  put("no-match.bin", Buffer.from("\0\0\0"));
  put("crlf.txt", "needle\r\nneedle end\r\n");
  put("bom.txt", "\ufeffneedle with BOM\n");
  put("utf16.txt", Buffer.from("\ufeffneedle in UTF-16\n", "utf16le"));
  put("latin1.txt", Buffer.from("needle \xe9t\xe9\n", "latin1"));
  put("empty.txt", "");
  put("newlines.txt", "\n\n\n");
  put("long.txt", `${"x".repeat(3000)} needle\nneedle ${"y".repeat(5000)}\n${"é".repeat(450)} needle\n`);
  put(
    "context.txt",
    Array.from({ length: 60 }, (_, i) => (i % 9 === 4 || i % 20 === 5 ? `needle ${i}` : `line ${i}`)).join(
      "\n",
    ),
  );
  put("many.txt", "needle\n".repeat(1200));
  put("unreadable.txt", "needle\n");
  put("unreadable/x.txt", "needle\n");
  put("no-entry/x.txt", "needle\n");
  put("denied/x.txt", `needle ${canary}\n`);
  put("own/x.txt", `needle ${canary}\n`);
  put("read-only/x.txt", "needle read-only\n");
  put("huge.bin", "needle\n");
  truncateSync(at("huge.bin"), 10 * 1024 ** 3);
  put("sparse.bin", "needle\n");
  truncateSync(at("sparse.bin"), 8 * 1024 ** 2);
  mkdirSync(join(root, "outside"));
  writeFileSync(join(root, "outside/secret.txt"), `needle ${canary}\n`);
  mkdirSync(join(root, "flat/below"), { recursive: true });
  writeFileSync(join(root, "flat/x.txt"), "needle flat\n");
  writeFileSync(join(root, "flat/below/x.txt"), `needle ${canary}\n`);
  symlinkSync("../outside", at("link-out"));
  symlinkSync("../outside/secret.txt", at("link-file-out"));
  symlinkSync("src", at("link-dir"));
  symlinkSync("plain.txt", at("link-file"));
  symlinkSync("loop", at("loop"));
  symlinkSync("..", at("src/up"));
  symlinkSync("nowhere", at("dangling"));
  execFileSync("mkfifo", [at("fifo"), at("src/fifo.ts")]);
  mkdirSync(at("fifo-rules"));
  execFileSync("mkfifo", [at("fifo-rules/.gitignore")]);
  put("fifo-rules/x.txt", "needle\n");
  chmodSync(at("unreadable.txt"), 0);
  chmodSync(at("unreadable"), 0);
  chmodSync(at("no-entry"), 0o444);
  place.scope = {
    allow: [
      scopeRule(workspace, "write"),
      { target: join(root, "flat"), permission: "read", recursive: false },
    ],
    deny: [scopeRule(at("denied"), "read"), scopeRule(at("read-only"), "write")],
  };
}

const { timers, clock } = nodeHost();
/** Traps: none of these may change what is found. */
const trapped = (place: SearchPlace) => ({
  PATH: `${dirname(process.execPath)}:/usr/bin:/bin:/usr/sbin:/sbin`,
  HOME: join(place.root, "home"),
  RIPGREP_CONFIG_PATH: join(place.root, "home/ripgreprc"),
  XDG_CONFIG_HOME: join(place.root, "home/.config"),
  GIT_CONFIG_GLOBAL: join(place.root, "home/.gitconfig"),
});

/** A configuration of ripgrep and of git that would hide everything. */
export function putTraps(place: SearchPlace): void {
  const home = join(place.root, "home");
  mkdirSync(join(home, ".config/git"), { recursive: true });
  writeFileSync(join(home, "ripgreprc"), "--glob=!*\n--hidden\n--follow\n");
  writeFileSync(join(home, ".config/git/ignore"), "*\n");
  writeFileSync(join(home, ".gitconfig"), `[core]\n\texcludesFile = ${home}/.config/git/ignore\n`);
}

export interface Searcher {
  readonly runner: CommandRunner;
  /** The whole result as text; a refusal as its message. */
  call(tool: "Glob" | "Grep", args: JsonObject): Promise<string>;
  close(): Promise<void>;
}

/** @param path where programs are looked for, when elsewhere. */
export async function searcher(
  place: SearchPlace,
  mode: "on" | "off",
  path?: string,
  mayShow: (tool: string, path: string) => boolean = () => true,
): Promise<Searcher> {
  const runner = await createCommandRunner({
    mode,
    protection: place.protection,
    env: { ...trapped(place), ...(path === undefined ? {} : { PATH: path }) },
    timers,
    clock,
    quarantine: () => Promise.reject(new Error("nothing is found in a search")),
    unixSockets: true,
  });
  const scope = () => place.scope;
  const files = createScopedFiles({ scope, protection: place.protection });
  const options = {
    files,
    workspace: place.workspace,
    mayShow,
    pod: podName("search"),
    runner,
    scope,
    timers,
  };
  const tools: Record<"Glob" | "Grep", Tool> = { Glob: globTool(options), Grep: grepTool(options) };
  return {
    runner,
    call: async (tool, args) => {
      try {
        const { summary, content = "" } = await tools[tool].execute(args, {
          call: callId(1, 0),
          signal: new AbortController().signal,
          progress: () => {},
        });
        return `${summary}\n${content}`;
      } catch (thrown) {
        if (!(thrown instanceof YoiError)) throw thrown;
        return `${thrown.code}: ${thrown.message}`;
      }
    },
    close: () => runner.close(),
  };
}
