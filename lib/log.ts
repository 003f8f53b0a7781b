// The one logger: JSON lines with allow-listed fields. Bodies, headers and secrets are never logged.
import { Logger } from '@aws-lambda-powertools/logger';

const root = new Logger();

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

/** A child per request, since several requests may share a process on a laptop. */
export const requestLog = (fields: Readonly<Record<string, string | undefined>>): Log =>
  root.createChild({ persistentKeys: { ...fields } });
