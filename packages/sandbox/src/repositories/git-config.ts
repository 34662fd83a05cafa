/** Git configuration, read for one question: which of its settings make git run a program, or take settings from elsewhere. */

/** Most settings that are remembered of one file; more of them are one setting that says so. */
export const settingsMax = 256;

/** `section.key`, or `section.*.key` for a section with a name of its own. */
const running: ReadonlySet<string> = new Set([
  "core.hookspath",
  "core.fsmonitor",
  "core.sshcommand",
  "core.gitproxy",
  "core.askpass",
  "core.editor",
  "core.pager",
  "core.alternaterefscommand",
  "sequence.editor",
  "include.path",
  "includeif.*.path",
  "diff.external",
  "diff.*.command",
  "diff.*.textconv",
  "merge.*.driver",
  "filter.*.clean",
  "filter.*.smudge",
  "filter.*.process",
  "credential.helper",
  "credential.*.helper",
  "gpg.program",
  "gpg.*.program",
  "gpg.ssh.defaultkeycommand",
  "init.templatedir",
  "remote.*.uploadpack",
  "remote.*.receivepack",
  "remote.*.vcs",
  "uploadpack.packobjectshook",
  "difftool.*.cmd",
  "mergetool.*.cmd",
  "browser.*.cmd",
  "man.*.cmd",
  "trailer.*.command",
  "trailer.*.cmd",
  "submodule.*.update",
  "interactive.difffilter",
]);
/** Sections whose every key is a command. */
const runningSections: ReadonlySet<string> = new Set(["alias", "pager"]);

/**
 * The settings of `text` that run something or lead elsewhere, each as `key=value`, sorted, each once. Reads as git does where it matters here: sections
 * and keys without case, subsections with it, comments, quotes, and lines that go on behind a backslash.
 */
export function runningSettings(text: string): readonly string[] {
  const found = new Set<string>();
  let section = "";
  let subsection: string | null = null;
  for (const line of text.replace(/\\\r?\n/g, "").split(/\r?\n/)) {
    let rest = line.trim();
    const head = /^\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(rest);
    if (head !== null) {
      const [whole, name = "", quoted] = head;
      const dot = name.indexOf(".");
      section = (dot < 0 ? name : name.slice(0, dot)).toLowerCase();
      subsection = quoted ?? (dot < 0 ? null : name.slice(dot + 1));
      rest = rest.slice(whole.length).trim();
    }
    const setting = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(rest);
    if (setting === null) continue;
    const [, key = "", value = "true"] = setting;
    if (!isRunning(section, subsection, key.toLowerCase())) continue;
    const place = subsection === null ? section : `${section}.${subsection}`;
    found.add(`${place}.${key.toLowerCase()}=${unquoted(value)}`);
  }
  const sorted = [...found].sort();
  if (sorted.length <= settingsMax) return sorted;
  return [...sorted.slice(0, settingsMax), `and ${sorted.length - settingsMax} more`];
}

function isRunning(section: string, subsection: string | null, key: string): boolean {
  if (runningSections.has(section)) return true;
  return (
    running.has(`${section}.${key}`) ||
    (subsection !== null &&
      (running.has(`${section}.*.${key}`) || running.has(`${section}.${subsection}.${key}`)))
  );
}

/** A value without its comment and quotation marks. */
function unquoted(value: string): string {
  let text = "";
  let quoted = false;
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at] ?? "";
    if (character === '"') quoted = !quoted;
    else if (character === "\\") text += value[(at += 1)] ?? "";
    else if (!quoted && (character === "#" || character === ";")) break;
    else text += character;
  }
  return text.trim();
}
