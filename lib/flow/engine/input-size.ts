// Size limits of the input that starts a run. The engine checks them, and before it every entry point that
// accepts input.
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

/** An input that fits this fits every limit, and is measured once. Most do. */
const smallest = Math.min(limits.inputBytes, ...Object.values(partBytesMax));

export interface Excess {
  /** `input` is the sum of all parts. */
  readonly part: Part | 'input';
  readonly bytesMax: number;
}

/** Returns what is too large; undefined if the input is within all limits. */
export function findExcess(input: Readonly<Partial<Record<Part, unknown>>>): Excess | undefined {
  if (jsonBytes(input, smallest) <= smallest) return undefined;
  for (const part of parts) {
    const bytesMax = partBytesMax[part];
    if (jsonBytes(input[part], bytesMax) > bytesMax) return { part, bytesMax };
  }
  const bytesMax = limits.inputBytes;
  return jsonBytes(input, bytesMax) > bytesMax ? { part: 'input', bytesMax } : undefined;
}
