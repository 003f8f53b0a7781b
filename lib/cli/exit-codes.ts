// The exit codes of `agent-flow`; docs/cli.md says the same.

export const exitCodes = {
  success: 0,
  /** A flow has mistakes, a test failed, a run did not complete, a file cannot be read. */
  failure: 1,
  /** The command line is not valid; nothing was done. */
  usage: 2,
  /** No credentials, or the service refuses them (401, 403). */
  credentials: 3,
  /** The service refuses the request, and will again until it changes (other 4xx). */
  refused: 4,
  /** The service cannot be reached, is busy or failed (429, 5xx): try again later. */
  unavailable: 5,
  /** Ctrl-C: 128 and the number of the signal, as shells have it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
