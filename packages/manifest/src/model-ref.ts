/** `provider/id`: how a model is named in files and flags. */

export interface ModelRef {
  readonly provider: string;
  readonly id: string;
}

export const modelRefCharsMax = 300;

export const providerNameCharsMax = 64;

export function isProviderName(text: string): boolean {
  return text.length <= providerNameCharsMax && /^[a-z0-9][a-z0-9_-]*$/.test(text);
}

/** Splits at the first slash (the id may hold more); null when it is not a model's name. */
export function parseModelRef(ref: string): ModelRef | null {
  const slash = ref.indexOf("/");
  const provider = ref.slice(0, Math.max(0, slash));
  const id = ref.slice(slash + 1);
  if (ref.length > modelRefCharsMax || !isProviderName(provider)) return null;
  if (id === "" || /[\u0000-\u001f\u007f]/.test(id)) return null;
  return { provider, id };
}
