/** Amounts as a person reads them. */

const steps = [
  { unit: "d", ms: 86_400_000 },
  { unit: "h", ms: 3_600_000 },
  { unit: "min", ms: 60_000 },
] as const;

/** How long ago, in the largest unit that it has whole. */
export function ageText(ms: number): string {
  for (const { unit, ms: unitMs } of steps) if (ms >= unitMs) return `${Math.floor(ms / unitMs)} ${unit} ago`;
  return "just now";
}

export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / (1024 * 1024)).toFixed(1)} MB`;
}
