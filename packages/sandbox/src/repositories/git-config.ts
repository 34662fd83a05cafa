/** Git configuration, read for one question: which of its settings make git run a program, or take settings from elsewhere. */

/** Most settings that are remembered of one file; more of them are one setting that says so. */
export const settingsMax = 256;

/** `section.key`, or `section.*.key` for a section with a name of its own. */
const running: ReadonlySet<string> = new Set(
  [
    "core: hookspath fsmonitor sshcommand gitproxy askpass editor pager alternaterefscommand",
    "core.*: gitproxy",
    "include: path",
    "includeif.*: path",
    "diff: external",
    "diff.*: command textconv",
    "merge.*: driver",
    "filter.*: clean smudge process",
    "tar.*: command",
    "credential: helper",
    "credential.*: helper",
    "gpg: program",
    "gpg.*: program defaultkeycommand",
    "hook.*: command",
    "init: templatedir",
    "sequence: editor",
    "interactive: difffilter",
    "protocol: allow",
    "protocol.*: allow",
    "remote.*: uploadpack receivepack vcs",
    "uploadpack: packobjectshook",
    "submodule.*: update",
    "difftool.*: cmd path",
    "mergetool.*: cmd path",
    "guitool.*: cmd",
    "browser.*: cmd path",
    "man.*: cmd path",
    "instaweb: httpd browser",
    "trailer.*: command cmd",
    "imap: tunnel",
    "sendemail: smtpserver sendmailcmd tocmd cccmd headercmd",
    "sendemail.*: smtpserver sendmailcmd tocmd cccmd headercmd",
    "lfs.customtransfer.*: path",
    "lfs.extension.*: clean smudge",
  ].flatMap((line) => {
    const [section = "", keys = ""] = line.split(": ");
    return keys.split(" ").map((key) => `${section}.${key}`);
  }),
);
/** Sections whose every key is a command. */
const runningSections: ReadonlySet<string> = new Set(["alias", "pager"]);

/**
 * The settings of `text` that run something or lead elsewhere, each as `key=value`, sorted, each once. Read by character, as git does: sections and keys
 * without case, subsections with it, comments, quotes, and values that go on behind a backslash.
 */
export function runningSettings(text: string): readonly string[] {
  const found = new Set<string>();
  for (const { section, subsection, key, value } of settingsOf(text)) {
    if (!isRunning(section, subsection, key, value)) continue;
    found.add(`${[section, ...(subsection === null ? [] : [subsection]), key].join(".")}=${value}`);
  }
  const sorted = [...found].sort();
  if (sorted.length <= settingsMax) return sorted;
  return [...sorted.slice(0, settingsMax), `and ${sorted.length - settingsMax} more`];
}

function isRunning(section: string, subsection: string | null, key: string, value: string): boolean {
  if (runningSections.has(section)) return true;
  if (section === "remote" && (key === "url" || key === "pushurl")) return value.startsWith("ext::");
  if (subsection === null) return running.has(`${section}.${key}`);
  // `lfs.customtransfer.NAME.path` is the section lfs with the subsection customtransfer.NAME.
  const first = subsection.split(".", 1)[0]?.toLowerCase() ?? "";
  return [`${section}.*.${key}`, `${section}.${subsection}.${key}`, `${section}.${first}.*.${key}`].some(
    (name) => running.has(name),
  );
}

interface Setting {
  readonly section: string;
  readonly subsection: string | null;
  readonly key: string;
  readonly value: string;
}

/** Goes on behind what it cannot read: git would refuse the whole file, which nobody may rely on. */
function* settingsOf(text: string): Generator<Setting> {
  let section = "";
  let subsection: string | null = null;
  let at = text.startsWith("\ufeff") ? 1 : 0;
  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  };
  while (at < text.length) {
    if (skip(/[\s]+/y) !== "" || skip(/[#;][^\n]*/y) !== "") continue;
    if (text[at] === "[") {
      const header = skip(/\[[^\]["\n]*(?:"(?:[^"\\\n]|\\[^\n])*"[^\S\n]*)?\]/y);
      if (header === "") at += 1;
      else [section, subsection] = sectionOf(header);
      continue;
    }
    const key = skip(/[A-Za-z][A-Za-z0-9-]*/y);
    if (key === "") {
      skip(/[^\n]+/y);
      continue;
    }
    skip(/[^\S\n]+/y);
    let value = "true";
    if (text[at] === "=") {
      const read = valueFrom(text, at + 1);
      ({ value } = read);
      at = read.end;
    }
    yield { section, subsection, key: key.toLowerCase(), value };
  }
}

function sectionOf(header: string): [string, string | null] {
  const inner = header.slice(1, -1).trim();
  const quote = inner.indexOf('"');
  if (quote >= 0) {
    const quoted = inner.slice(quote + 1, -1).replace(/\\(.)/g, "$1");
    return [inner.slice(0, quote).trim().toLowerCase(), quoted];
  }
  const dot = inner.indexOf(".");
  return dot < 0 ? [inner.toLowerCase(), null] : [inner.slice(0, dot).toLowerCase(), inner.slice(dot + 1)];
}

/** A value up to the end of its line, without its comment, quotation marks and escapes. */
function valueFrom(text: string, from: number): { readonly value: string; readonly end: number } {
  let value = "";
  let quoted = false;
  let at = from;
  for (; at < text.length && text[at] !== "\n"; at += 1) {
    const character = text[at] ?? "";
    if (character === "\\") {
      at += text.startsWith("\r\n", at + 1) ? 2 : 1;
      const escaped = text[at] ?? "";
      if (escaped !== "\n") value += escaped === "n" ? "\n" : escaped === "t" ? "\t" : escaped;
    } else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === "#" || character === ";")) {
      const end = text.indexOf("\n", at);
      return { value: value.trim(), end: end < 0 ? text.length : end };
    } else value += character;
  }
  return { value: value.trim(), end: at };
}
