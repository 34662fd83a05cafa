/** How long something is off, for a countdown. */

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** As `in 12 s`, `in 4 min 5 s`, `in 2 h 30 min`, `in 3 d 4 h`, or `now` where its time has come. */
export function waitText(ms: number): string {
  if (!(ms > 0)) return "now";
  if (ms < minuteMs) return `in ${Math.ceil(ms / secondMs)} s`;
  if (ms < hourMs) return `in ${two(ms, [minuteMs, "min"], [secondMs, "s"])}`;
  if (ms < dayMs) return `in ${two(ms, [hourMs, "h"], [minuteMs, "min"])}`;
  return `in ${two(ms, [dayMs, "d"], [hourMs, "h"])}`;
}

type Unit = readonly [ms: number, name: string];

function two(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const first = Math.floor(ms / large);
  const rest = Math.floor((ms - first * large) / small);
  return rest === 0 ? `${first} ${largeName}` : `${first} ${largeName} ${rest} ${smallName}`;
}
