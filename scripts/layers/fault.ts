/** One thing that is wrong: where, what, which rule, what to do. */
export interface Fault {
  /** From the repository's root. */
  readonly path: string;
  /** 1-based; null: the file as a whole. */
  readonly line: number | null;
  readonly what: string;
  /** Family and rule: `package/import`, `power/clock`. */
  readonly rule: string;
  /** A sentence: where it belongs, or what to do instead. */
  readonly instead: string;
}

export function printed(fault: Fault): string {
  const place = fault.line === null ? fault.path : `${fault.path}:${fault.line}`;
  return `${place}: ${fault.what} [${fault.rule}] ${fault.instead}`;
}
