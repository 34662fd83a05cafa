/** The model of new Pods, put into the user's own configuration: nothing else of the file is touched. */
import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { YoiError } from "@yoi/base";
import type { Files } from "@yoi/host";
import { checkConfig, type ConfigSource } from "@yoi/manifest";
import { readSmallFile } from "../compose/read-small-file.ts";

/** Of a file that is edited. */
const bytesMax = 1024 * 1024;

/** The path of the file that says it now. Throws config_invalid where it cannot be edited without touching what else it says. */
export async function keepModel(files: Files, source: ConfigSource, ref: string): Promise<string> {
  // A link leads to where the user keeps it.
  const path = await realpath(source.path).catch(() => source.path);
  const before = await textOf(path);
  const after = withModel(before, ref, path);
  if (after === before) return path;
  const { layer, problems } = checkConfig(after, { ...source, path });
  if (layer === null || layer.settings["model.ref"] !== ref)
    throw refused(path, problems[0]?.message ?? `it would not say ref = ${JSON.stringify(ref)} then`);
  await files.makeDirectory(dirname(path));
  await files.replace(path, Buffer.from(after, "utf8"));
  return path;
}

async function textOf(path: string): Promise<string> {
  const reading = await readSmallFile(path, bytesMax);
  switch (reading.kind) {
    case "read":
      return reading.text;
    case "missing":
      return "";
    case "not_a_file":
      throw refused(path, "it is not a regular file");
    case "too_large":
      throw refused(path, `it has more than ${bytesMax} bytes`);
    case "unreadable":
      throw refused(path, `it cannot be read (${reading.code})`);
  }
}

/** A string on the line of its key, and what stands behind it. */
const oneLine = /^(\s*["']?ref["']?\s*=\s*)("(?!"")(?:\\.|[^"\\])*"|'(?!'')[^']*')(\s*(?:#[^]*)?)$/;

/**
 * Pure: the text with `ref` in its table [model], which is made at the end where there is none; a model that stands there on one line gives its place. Throws
 * config_invalid for one that is written otherwise.
 */
export function withModel(text: string, ref: string, path: string): string {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => /^\s*\[\s*model\s*\]\s*(#.*)?\r?$/.test(line));
  const said = `ref = ${JSON.stringify(ref)}`;
  if (at === -1) {
    const head = text === "" || text.endsWith("\n") ? text : `${text}\n`;
    return `${head}${head === "" ? "" : "\n"}[model]\n${said}\n`;
  }
  const next = lines.findIndex((line, index) => index > at && /^\s*\[/.test(line));
  const until = next === -1 ? lines.length : next;
  const own = lines.findIndex(
    (line, index) => index > at && index < until && /^\s*["']?ref["']?\s*=/.test(line),
  );
  if (own !== -1) {
    const parts = oneLine.exec(lines[own] ?? "");
    if (parts !== null)
      return lines.with(own, `${parts[1] ?? ""}${JSON.stringify(ref)}${parts[3] ?? ""}`).join("\n");
    throw new YoiError(
      "config_invalid",
      `${path}, line ${own + 1}, names a model already: change that line to ${said}.`,
      { place: { path, line: own + 1 } },
    );
  }
  return [...lines.slice(0, at + 1), said, ...lines.slice(at + 1)].join("\n");
}

function refused(path: string, why: string): YoiError {
  return new YoiError(
    "config_invalid",
    `The model cannot be put into ${path} (${why}): write it there yourself, as ref below [model].`,
    { place: { path } },
  );
}
