// The one logger: JSON lines with allow-listed fields. Bodies, headers and secrets are never logged.
import { Logger } from '@aws-lambda-powertools/logger';

/** Made with the first use, since it reads the environment when it is made. */
let root: Logger | undefined;

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

/** A child per request, since several requests may share a process on a laptop. */
export const requestLog = (fields: Readonly<Record<string, string | undefined>>): Log => {
  root ??= new Logger();
  return root.createChild({ persistentKeys: { ...fields } });
};
