/** The page of skills that the terminal shows. */
import type { PageParts } from "./pages.ts";

export async function skillsPage(_pod: string | null, { workspace }: PageParts): Promise<string> {
  return `No skills are looked for in ${workspace} yet.\n`;
}
