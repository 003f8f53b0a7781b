// A log that hands its lines to a test.
import type { Log } from '#lib/log.ts';

export function recordingLog(hear: Log['info']): Log {
  return { fields: {}, debug: hear, info: hear, warn: hear, error: hear };
}
