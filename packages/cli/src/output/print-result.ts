/** What a command came to, on stdout: one object where JSON was asked for, else one sentence. */
import { jsonLine } from "./json-line.ts";

export function printResult({ json }: { readonly json?: boolean }, object: object, sentence: string): void {
  process.stdout.write(json === true ? jsonLine(object) : `${sentence}\n`);
}
