// Tokens that calls of models have used.

export interface Tokens {
  /** All of the input, also what the provider had in its cache. */
  readonly input: number;
  readonly output: number;
  /** The part of the input that was read from the cache of the provider. Absent for none. */
  readonly cached?: number;
  /** The part of the input that was written to the cache of the provider. Absent for none. */
  readonly cache_write?: number;
}

export function addTokens(a: Tokens, b: Tokens): Tokens {
  return toTokens({
    input: a.input + b.input,
    output: a.output + b.output,
    cached: (a.cached ?? 0) + (b.cached ?? 0),
    cache_write: (a.cache_write ?? 0) + (b.cache_write ?? 0),
  });
}

/** Leaves out what is zero. */
export const toTokens = ({ input, output, cached = 0, cache_write = 0 }: Tokens): Tokens => ({
  input,
  output,
  ...(cached > 0 && { cached }),
  ...(cache_write > 0 && { cache_write }),
});
