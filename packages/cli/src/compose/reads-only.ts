/** Which tools do no more than read or keep state of their own, for whoever looks into a log without opening its Pod. */
import { builtInDescriptors } from "./built-in-features.ts";

/** Of the program itself. */
const readingTools: readonly string[] = [
  "Glob",
  "Grep",
  "Read",
  "SessionRead",
  "SessionSearch",
  "WebFetch",
  "WebSearch",
];

/** Any other tool may have had effects. */
export async function readsOnly(): Promise<(tool: string) => boolean> {
  const declared = (await builtInDescriptors()).flatMap(({ tools }) => tools);
  const names = new Set([
    ...readingTools,
    ...declared.filter(({ read_only }) => read_only).map(({ name }) => name),
  ]);
  return (tool) => names.has(tool);
}
