// Why a run has failed, as its callers receive it: a code for programs beside the text for people. The text is
// the older one, and its form is unchanged.
import * as z from 'zod';
import { redacted } from '#lib/flow/engine/log-preview.ts';

export const runFailure = z
  .strictObject({
    code: z.string().meta({
      description: 'Stable: an error code of flows, or `run.…` for a failure outside of the flow.',
      examples: ['http.404'],
    }),
    message: z.string().meta({ description: 'For people; `error` has it together with code and node.' }),
    node_id: z.string().optional().meta({
      description:
        'The node of the flow that failed. For an error of a called flow, the node that called it.',
    }),
  })
  .meta({ id: 'RunFailure' });
export type RunFailure = z.infer<typeof runFailure>;

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
