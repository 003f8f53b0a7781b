// The one logger: JSON lines with allow-listed fields. Bodies, headers and secrets are never logged.
import { Logger } from '@aws-lambda-powertools/logger';

/** Made with the first use, since it reads the environment when it is made. */
let root: Logger | undefined;

type Fields = Readonly<Record<string, unknown>>;
type WriteLine = (message: string, fields?: Fields) => void;

export interface Log {
  /** What each line has. */
  readonly fields: Readonly<Record<string, string>>;
  readonly debug: WriteLine;
  readonly info: WriteLine;
  readonly warn: WriteLine;
  readonly error: WriteLine;
}

/**
 * One per request, since several requests may share a process on a laptop. Not a child of the logger: making
 * one takes longer than a line.
 */
export const requestLog = (fields: Readonly<Record<string, string>>): Log => {
  root ??= new Logger();
  const logger = root;
  return {
    fields,
    debug: (message, more = {}) => logger.debug(message, fields, more),
    info: (message, more = {}) => logger.info(message, fields, more),
    warn: (message, more = {}) => logger.warn(message, fields, more),
    error: (message, more = {}) => logger.error(message, fields, more),
  };
};
