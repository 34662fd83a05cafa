/** The user's editor on a text, through a file that is nobody else's. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Host } from "@yoi/host";
import { ownStdio } from "@yoi/sandbox";
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
  readonly host: Pick<Host, "files" | "ids">;
  /** Where the file is made; it is there, and the user's alone. */
  readonly directory: string;
  readonly editor: readonly string[];
  /** Absent: that of this process. */
  readonly stdio?: "inherit" | "ignore";
}

/** As it was left; null: as it was, or the editor ended with a failure, or is not there. */
export async function editText(text: string, options: EditOptions): Promise<string | null> {
  const { host, directory, editor } = options;
  const folder = join(directory, `edit-${host.ids.uuidV7()}`);
  const path = join(folder, "prompt.md");
  await host.files.makeDirectory(folder);
  try {
    await host.files.replace(path, Buffer.from(text, "utf8"));
    if (!(await endsWell(editor, path, options.stdio ?? "inherit"))) return null;
    const left = Buffer.from((await host.files.read(path)) ?? []).toString("utf8");
    // Editors end a file with a line end, which nobody typed.
    const edited = left.endsWith("\n") && !text.endsWith("\n") ? left.slice(0, -1) : left;
    return edited === text ? null : edited;
  } finally {
    await host.files.removeTree(folder);
  }
}

async function endsWell(
  [program = editorDefault, ...args]: readonly string[],
  path: string,
  stdio: "inherit" | "ignore",
): Promise<boolean> {
  const child = spawn(program, [...args, path], {
    stdio: ownStdio(stdio === "inherit" ? [0, 1, 2] : [stdio, stdio, stdio]),
  });
  // Ctrl-C and Ctrl-\ are the editor's while it has the terminal.
  const nothing = (): void => undefined;
  for (const signal of ["SIGINT", "SIGQUIT"] as const) process.on(signal, nothing);
  try {
    const [code] = await once(child, "close");
    return code === 0;
  } catch {
    return false;
  } finally {
    for (const signal of ["SIGINT", "SIGQUIT"] as const) process.off(signal, nothing);
  }
}
