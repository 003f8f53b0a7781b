// One entry of the log of a run as a line.
import { plainText } from './plain-text.ts';

interface Entry {
  readonly time: string;
  readonly message: string;
  readonly scope?: string | undefined;
  readonly duration_ms?: number | undefined;
}

export function logLine({ time, message, scope, duration_ms }: Entry): string {
  const where = scope === undefined ? '' : `[${scope}] `;
  const took = duration_ms === undefined ? '' : ` (${duration_ms} ms)`;
  return plainText(`${time}  ${where}${message}${took}`);
}
