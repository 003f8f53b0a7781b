// What one evaluation of JavaScript takes and results in. Values travel as the text of their JSON, which is read
// only where it is used.

export interface CodeCall {
  /** The body of a function of `input`. */
  readonly code: string;
  /** JSON. */
  readonly input: string;
  /** What the clock of the code shows, in ms since 1970. */
  readonly now: number;
  /** From which its random numbers follow. */
  readonly seed: string;
  /** How long it may take, counted in steps of the interpreter. */
  readonly timeoutMs: number;
}

export type CodeOutcome = { readonly json: string } | { readonly failure: CodeFailure };

export interface CodeFailure {
  readonly reason: 'syntax' | 'threw' | 'timeout' | 'memory' | 'invalid_output' | 'too_large';
  /** For the author of the code, with the line in it where it is known. */
  readonly message: string;
}

/** Whoever invokes the function that evaluates is part of the service, so this only finds mistakes in the service. */
export function isCodeCall(value: unknown): value is CodeCall {
  if (typeof value !== 'object' || value === null) return false;
  const types = { code: 'string', input: 'string', now: 'number', seed: 'string', timeoutMs: 'number' };
  const given = new Map<string, unknown>(Object.entries(value));
  return Object.entries(types).every(([name, type]) => typeof given.get(name) === type);
}
