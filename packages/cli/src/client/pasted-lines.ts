/** Lines that arrive together, as those of a paste do, told from lines that are typed one by one. */
import type { Timers } from "@yoi/base";

/** Nobody types a line so soon behind another. Waited for in halves, so that a busy process reads its input before it believes that nothing came. */
export const togetherMs = 50;

/** Each time the lines of one paste, or the one that was typed. Ends with `lines`. */
export async function* pastedLines(
  lines: AsyncIterable<string>,
  timers: Timers,
): AsyncGenerator<readonly string[], void> {
  const typed = lines[Symbol.asyncIterator]();
  let next = typed.next();
  for (let first = await next; first.done !== true; first = await next) {
    const together = [first.value];
    next = typed.next();
    while (await comesSoon(next, timers)) {
      const more = await next;
      if (more.done === true) break;
      together.push(more.value);
      next = typed.next();
    }
    yield together;
  }
}

async function comesSoon(next: Promise<unknown>, timers: Timers): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  let cancel = timers.after(togetherMs / 2, () => {
    cancel = timers.after(togetherMs / 2, () => late.resolve(false));
  });
  try {
    return await Promise.race([next.then(() => true), late.promise]);
  } finally {
    cancel();
  }
}
