/** LessBy: what a provider measured, without what is not sent any more. */
import type { MeasuredContext } from "@yoi/base";

export function lessBy(tokens: number, measured: MeasuredContext | null): MeasuredContext | null {
  if (measured === null) return null;
  return { ...measured, tokens: Math.max(0, measured.tokens - tokens) };
}
