/** A canary: a value made to be found, and every place below which it is looked for. */
import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Random, with characters that each form writes in its own way. */
export function canary(name: string): string {
  return `sk-${name}-${randomBytes(12).toString("hex")}/+"=${randomBytes(12).toString("hex")}`;
}

/** Forms of our own reckoning, not those of the redactor: name and text. */
export function formsOf(value: string): ReadonlyMap<string, string> {
  const json = JSON.stringify(value).slice(1, -1);
  const base64 = (before: string): string => {
    const whole = Buffer.from(`${before}${value}`).toString("base64");
    return whole.slice(4, whole.length - 4);
  };
  return new Map([
    ["raw", value],
    ["the first 20 characters", value.slice(0, 20)],
    ["the last 20 characters", value.slice(-20)],
    ["JSON", json],
    ["JSON in JSON", JSON.stringify(json).slice(1, -1)],
    ["percent", encodeURIComponent(value)],
    ["percent, lower case", encodeURIComponent(value).replaceAll(/%../g, (code) => code.toLowerCase())],
    ["Base64", base64("")],
    ["Base64 at 1", base64("x")],
    ["Base64 at 2", base64("xy")],
    ["Base64 for URLs", base64("").replaceAll("+", "-").replaceAll("/", "_")],
  ]);
}

/** Where each form of the value is found: `<place>: <form>`. */
export function hitsIn(places: ReadonlyMap<string, Buffer | string>, value: string): string[] {
  const hits: string[] = [];
  for (const [place, content] of places)
    for (const [form, text] of formsOf(value)) if (content.includes(text)) hits.push(`${place}: ${form}`);
  return hits;
}

/** Every regular file below the directories, whole. */
export function filesBelow(...directories: readonly string[]): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  const walk = (path: string): void => {
    const stat = lstatSync(path);
    if (stat.isFile()) found.set(path, readFileSync(path));
    else if (stat.isDirectory()) for (const name of readdirSync(path)) walk(join(path, name));
  };
  for (const directory of directories) walk(directory);
  return found;
}

/** The command lines of all processes of the machine, by pid; one that ends while it is read is left out. */
export function commandLines(): Map<string, string> {
  const found = new Map<string, string>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      found.set(`cmdline of ${pid}`, readFileSync(`/proc/${pid}/cmdline`, "utf8"));
    } catch {
      continue;
    }
  }
  return found;
}
