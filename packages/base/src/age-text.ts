/** How long ago something was, as a person reads it. */

const steps = [
  { unit: "d", ms: 86_400_000 },
  { unit: "h", ms: 3_600_000 },
  { unit: "min", ms: 60_000 },
] as const;

/** In the largest unit that it has whole. */
export function ageText(ms: number): string {
  for (const { unit, ms: unitMs } of steps) if (ms >= unitMs) return `${Math.floor(ms / unitMs)} ${unit} ago`;
  return "just now";
}
