// Why a run has failed, as its callers receive it: a code for programs beside the text for people. The text is
// the older one, and its form is unchanged.
import { redacted } from '#lib/flow/engine/log-preview.ts';

export interface RunFailure {
  readonly code: string;
  readonly message: string;
  readonly node_id?: string | undefined;
}

export interface FailedEnd {
  readonly status: 'failed';
  readonly error: string;
  readonly failure: RunFailure;
}

/** For callers and callback receivers, who must not see the secrets of a flow, as the log must not. */
export function toFailedEnd({ code, message, node_id }: RunFailure): FailedEnd {
  const failure = { code, message: redacted(message), ...(node_id !== undefined && { node_id }) };
  const text = `${failure.message} (${code})`;
  return { status: 'failed', error: node_id === undefined ? text : `${node_id}: ${text}`, failure };
}

/** The end of a run that the service has ended itself, or that could not begin. */
export const failedOutside = (code: string, message: string): FailedEnd => ({
  status: 'failed',
  error: message,
  failure: { code, message },
});

export const interrupted = failedOutside('run.interrupted', 'The run was interrupted before it ended.');
export const notQueued = failedOutside('run.not_queued', 'The run could not be queued.');
export const notRecorded = failedOutside(
  'run.not_recorded',
  'The run ended because what it had to keep was refused, most likely as too large.',
);
