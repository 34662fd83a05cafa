/** Composers as a person reads them: `|` is the cursor. */
import { type Composer, composerOf, edit, type ComposerEdit } from "../../src/composer/composer.ts";

export function written(text: string): Composer {
  const cursor = text.indexOf("|");
  const plain = text.replace("|", "");
  return { ...composerOf(plain), cursor: cursor === -1 ? plain.length : cursor };
}

export function shown({ text, cursor }: Composer): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

export function afterAll(composer: Composer, ...edits: readonly ComposerEdit[]): Composer {
  return edits.reduce(edit, composer);
}
