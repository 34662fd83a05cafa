/** The kept transcripts: where they are, and how they are read. */
import { existsSync, readFileSync } from "node:fs";
import type { JsonObject } from "@yoi/base";
import { linesOf } from "./normalise.ts";

export function goldenUrl(name: string): URL {
  return new URL(`golden/${name}.jsonl`, import.meta.url);
}

export function golden(name: string): readonly JsonObject[] {
  const url = goldenUrl(name);
  return existsSync(url) ? linesOf(readFileSync(url, "utf8")) : [];
}
