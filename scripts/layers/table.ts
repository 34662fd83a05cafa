/** The layers as data: which package may import which, the folders inside `pod` from low to high, and the libraries each package may use. */

/** Package folder -> what it may import. A package that does not exist yet stands here too. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  base: [],
  host: ["base"],
  protocol: ["base"],
  feature: ["base"],
  scope: ["base", "host"],
  sandbox: ["base", "scope"],
  model: ["base", "host"],
  worker: ["base", "model"],
  "session-store": ["base", "host"],
  "pod-store": ["base", "host"],
  keep: ["base", "host"],
  tickets: ["base", "host"],
  manifest: ["base", "scope"],
  tools: ["base", "host", "scope", "sandbox"],
  pod: [
    "base",
    "host",
    "protocol",
    "feature",
    "scope",
    "sandbox",
    "model",
    "worker",
    "session-store",
    "pod-store",
    "keep",
    "manifest",
    "tools",
  ],
  builtin: ["base", "feature", "tickets"],
  tui: ["base", "protocol"],
  cli: [
    "base",
    "host",
    "protocol",
    "feature",
    "scope",
    "sandbox",
    "model",
    "worker",
    "session-store",
    "pod-store",
    "keep",
    "tickets",
    "manifest",
    "tools",
    "pod",
    "builtin",
    "tui",
  ],
};

/** The npm name of a package: `cli` is the published product. */
export function npmName(folder: string): string {
  return folder === "cli" ? "yoi" : `@yoi/${folder}`;
}

/**
 * Folders whose files, in these packages, are ordered: a lower one never imports an upper one. Files right in `src` stand above all of
 * them.
 */
export const folderOrder: Readonly<Record<string, readonly string[]>> = {
  pod: [
    "history",
    "alert",
    "inbox",
    "usage",
    "hook",
    "policy",
    "approval",
    "feature",
    "prompt",
    "timeline",
    "turn",
    "compact",
    "spawn",
    "restore",
    "rewind",
    "drive",
    "discovery",
    "serve",
  ],
};

/** Libraries from the registry -> the packages that may import them. A new dependency is a new line here, with its reason in ARCHITECTURE.md. */
export const libraries: Readonly<Record<string, readonly string[]>> = {
  "@ai-sdk/anthropic": ["model"],
  "@ai-sdk/google": ["model"],
  "@ai-sdk/openai": ["model"],
  "@ai-sdk/openai-compatible": ["model"],
  "@ai-sdk/provider": ["model"],
  "@mozilla/readability": ["tools"],
  "@napi-rs/keyring": ["cli"],
  "@vscode/ripgrep": ["tools"],
  commander: ["cli"],
  "@earendil-works/pi-tui": ["tui"],
  diff: ["cli", "tools"],
  "file-type": ["tools"],
  "highlight.js": ["tui"],
  "ipaddr.js": ["tools"],
  linkedom: ["tools"],
  "modern-tar": ["cli"],
  semver: ["pod"],
  "smol-toml": ["manifest"],
  turndown: ["tools"],
  unbash: ["pod"],
  yaml: ["model", "tickets", "tools"],
};

/** Suites that tests hand implementations to live in `test/` and are exported under this subpath; no `src` imports one. */
export const conformanceSubpath = "./conformance";
