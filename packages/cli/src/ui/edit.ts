/** The user's editor on a text, through a file that is nobody else's. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { messageOf, YoiError } from "@yoi/base";
import type { Host } from "@yoi/host";
import { ownStdio } from "@yoi/sandbox";
import { readSmallFile } from "../compose/read-small-file.ts";
import type { Environment } from "../environment.ts";

/** Where no variable names one. */
const editorDefault = "vi";

/**
 * $VISUAL, else $EDITOR, split into words as a shell would without expanding anything: blanks part them, quotes and a backslash keep them together. An
 * empty one is not set.
 */
export function editorOf({ variables }: Pick<Environment, "variables">): readonly string[] {
  for (const name of ["VISUAL", "EDITOR"]) {
    const words = wordsOf(variables[name] ?? "");
    if (words.length > 0) return words;
  }
  return [editorDefault];
}

/** `"a b" c\ d 'e'` is three words. A quote that is not closed goes to the end. */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  for (const [found] of text.matchAll(/(?:\\.|"(?:\\.|[^"\\])*(?:"|$)|'[^']*(?:'|$)|[^\s"'\\])+/gs))
    words.push(
      found.replace(/\\(.)|"((?:\\.|[^"\\])*)(?:"|$)|'([^']*)(?:'|$)/gs, (_, escaped, double, single) =>
        escaped !== undefined
          ? String(escaped)
          : double !== undefined
            ? String(double).replace(/\\(["\\$`])/g, "$1")
            : String(single),
      ),
    );
  return words;
}

export interface EditOptions {
  readonly host: Pick<Host, "files" | "files" | "clock" | "ids">;
  /** Where the file is made; it is there, and the user's alone. */
  readonly directory: string;
  readonly editor: readonly string[];
  /** Absent: that of this process. */
  readonly stdio?: "inherit" | "ignore";
}

/** Of a text that is taken back, in bytes: no prompt is larger. */
export const editedBytesMax = 1024 * 1024;
/** What an editor left behind that failed, or whose terminal was closed, stays so long. */
const keptMs = 7 * 24 * 60 * 60 * 1_000;

/** As it was left; null: as it was. Throws the sentence of what went wrong; what the editor has saved then stays where that says. */
export async function editText(text: string, options: EditOptions): Promise<string | null> {
  const { host, directory, editor } = options;
  await removeOld(options);
  const folder = join(directory, `edit-${host.ids.uuidV7()}`);
  const path = join(folder, "prompt.md");
  await host.files.makeDirectory(folder);
  await host.files.replace(path, Buffer.from(text, "utf8"));
  const how = await endOf(editor, path, options.stdio ?? "inherit");
  const left = await leftIn(path, text);
  if (how === null && (left.kind === "same" || left.kind === "edited")) {
    await host.files.removeTree(folder);
    return left.kind === "same" ? null : left.text;
  }
  const isKept = left.kind === "edited" || left.kind === "unusable";
  if (!isKept) await host.files.removeTree(folder);
  const why = how ?? (left.kind === "gone" || left.kind === "unusable" ? left.why : "");
  const where = isKept ? `; what it saved is in ${path}` : "";
  throw new YoiError("io_failed", `${why}: the text here is as it was${where}.`);
}

type Left =
  | { readonly kind: "same" }
  | { readonly kind: "edited"; readonly text: string }
  | { readonly kind: "gone" | "unusable"; readonly why: string };

async function leftIn(path: string, before: string): Promise<Left> {
  const reading = await readSmallFile(path, editedBytesMax);
  switch (reading.kind) {
    case "missing":
      return { kind: "gone", why: "The editor left no file behind" };
    case "too_large":
      return { kind: "unusable", why: `The editor saved more than ${editedBytesMax} bytes` };
    case "not_a_file":
    case "unreadable":
      return { kind: "unusable", why: "What the editor saved cannot be read" };
    case "read": {
      const { text } = reading;
      if (text.includes("\ufffd") && !before.includes("\ufffd"))
        return { kind: "unusable", why: "The editor saved bytes that are no UTF-8" };
      // Editors end a file with a line end, which nobody typed.
      const edited = text.endsWith("\n") && !before.endsWith("\n") ? text.slice(0, -1) : text;
      return edited === before ? { kind: "same" } : { kind: "edited", text: edited };
    }
  }
}

async function removeOld({ host: { files, clock }, directory }: EditOptions): Promise<void> {
  for (const name of await files.list(directory)) {
    if (!/^edit-[0-9a-f-]{36}$/.test(name)) continue;
    const found = await files.stat(join(directory, name));
    if (found?.kind === "directory" && clock.now() - found.modifiedMs > keptMs)
      await files.removeTree(join(directory, name));
  }
}

/** Null: it ended well. Else how, as the beginning of a sentence. */
async function endOf(
  [program = editorDefault, ...args]: readonly string[],
  path: string,
  stdio: "inherit" | "ignore",
): Promise<string | null> {
  const child = spawn(program, [...args, path], {
    stdio: ownStdio(stdio === "inherit" ? [0, 1, 2] : [stdio, stdio, stdio]),
  });
  // Ctrl-C and Ctrl-\ are the editor's while it has the terminal.
  const nothing = (): void => undefined;
  for (const signal of ["SIGINT", "SIGQUIT"] as const) process.on(signal, nothing);
  try {
    const [code, signal] = await once(child, "close");
    if (code === 0) return null;
    return `The editor ${program} ended with ${code === null ? String(signal) : `exit ${code}`}`;
  } catch (error) {
    const name = JSON.stringify(program);
    return `The editor ${name} cannot be started (${messageOf(error)}), set VISUAL or EDITOR`;
  } finally {
    for (const signal of ["SIGINT", "SIGQUIT"] as const) process.off(signal, nothing);
  }
}
