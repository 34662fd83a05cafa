/** Token counts of one provider request. */

export interface Usage {
  /** The whole prompt, cached part included. */
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  /** Part of `output_tokens`. */
  readonly reasoning_tokens: number;
}

export const noUsage: Usage = Object.freeze({
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
});

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
    cache_write_tokens: a.cache_write_tokens + b.cache_write_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
  };
}

/** What came between two running totals. */
export function subtractUsage(after: Usage, before: Usage): Usage {
  return {
    input_tokens: after.input_tokens - before.input_tokens,
    output_tokens: after.output_tokens - before.output_tokens,
    cache_read_tokens: after.cache_read_tokens - before.cache_read_tokens,
    cache_write_tokens: after.cache_write_tokens - before.cache_write_tokens,
    reasoning_tokens: after.reasoning_tokens - before.reasoning_tokens,
  };
}
