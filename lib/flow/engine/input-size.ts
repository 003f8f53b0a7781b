// How large that may be which starts a run. The engine asks, and before it every door through which input comes.
import { jsonBytes } from '#lib/json/size.ts';
import { limits } from '../format/limits.ts';

const partBytesMax = {
  message: limits.messageBytes,
  user_variables: limits.userVariablesBytes,
  event: limits.eventBytes,
  a2a: limits.a2aMessageBytes,
} as const;
type Part = keyof typeof partBytesMax;
const parts = ['message', 'user_variables', 'event', 'a2a'] as const satisfies readonly Part[];

export interface Excess {
  /** `input`: all parts together. */
  readonly part: Part | 'input';
  readonly bytesMax: number;
}

/** What is too large; undefined when a run can begin with it. */
export function excessIn(input: Readonly<Partial<Record<Part, unknown>>>): Excess | undefined {
  for (const part of parts) {
    const bytesMax = partBytesMax[part];
    if (jsonBytes(input[part], bytesMax) > bytesMax) return { part, bytesMax };
  }
  const bytesMax = limits.inputBytes;
  return jsonBytes(input, bytesMax) > bytesMax ? { part: 'input', bytesMax } : undefined;
}
