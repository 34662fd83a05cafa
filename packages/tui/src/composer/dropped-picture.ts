/** A picture that was dropped onto the terminal: what arrives is a paste of its path, in quotation marks or with backslashes. */

const pictureName = /\.(?:png|jpe?g|gif|webp)$/i;

/** Its path; null: it is another paste. */
export function droppedPicture(pasted: string): string | null {
  const path = asOnePath(pasted.trim());
  return path !== null && path.startsWith("/") && pictureName.test(path) ? path : null;
}

function asOnePath(text: string): string | null {
  const quoted = /^(['"])([^'"\n]*)\1$/.exec(text);
  if (quoted !== null) return quoted[2] ?? null;
  return /(?<!\\)\s/.test(text) ? null : text.replaceAll(/\\(.)/g, "$1");
}
