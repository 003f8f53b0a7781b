// What the bindings share: a request, and the outcome of a method as an HTTP answer.
import { formatSSEEvent } from '@a2a-js/sdk';
import type { Answer } from '#lib/http/answer.ts';
import { waitWithHeartbeat, withHeartbeat } from '#lib/http/heartbeat.ts';
import type { Request } from '#lib/http/request.ts';
import type { Log } from '#lib/log.ts';
import { A2ARefusal } from './errors.ts';
import type { Outcome } from './methods.ts';
import type { CallContext } from './own-task.ts';

/** A2A allows the version in the query, for clients that cannot set headers. */
interface VersionQuery {
  readonly 'A2A-Version'?: string | undefined;
}
export type A2ARequest<P = unknown> = Request<P, VersionQuery>;

/** Of the HTTP+JSON binding. */
export const httpContentType = 'application/a2a+json';

/** How a binding writes results and errors. */
export interface Binding {
  readonly contentType: string;
  readonly result: (result: unknown) => unknown;
  readonly error: (refusal: A2ARefusal) => object;
  /** The last server-sent event of a stream that fails. */
  readonly errorEvent: (refusal: A2ARefusal) => string;
  /** The last server-sent event for a caller whose credentials were revoked or have expired. */
  readonly unauthenticatedEvent: (message: string) => string;
}

export async function toAnswer(
  outcome: Outcome,
  binding: Binding,
  context: CallContext,
  { isAdmitted }: A2ARequest,
): Promise<Answer<never>> {
  const { contentType } = binding;
  if ('result' in outcome) return { text: JSON.stringify(binding.result(outcome.result)), contentType };
  const { log } = context;
  if ('later' in outcome) {
    const texts = writeResults(outcome.later, (result) => JSON.stringify(binding.result(result)), log);
    const writeError = () => JSON.stringify(binding.error(new A2ARefusal('INTERNAL_ERROR')));
    return { ...(await waitWithHeartbeat(collect(texts), { beat: ' ', writeError })), contentType };
  }
  const events = writeEvents(outcome.stream, binding, log);
  const refusal = binding.unauthenticatedEvent('The credentials were revoked or have expired.');
  const heartbeat = { beat: ': ping\n\n', isAdmitted, refusal };
  return { stream: withHeartbeat(events, heartbeat), contentType: 'text/event-stream' };
}

/** Throws INTERNAL_ERROR, since the task exists by then, whatever interrupts its results. */
async function* writeResults(
  results: AsyncIterable<unknown>,
  write: (result: unknown) => string,
  log: Log,
): AsyncGenerator<string> {
  try {
    for await (const result of results) yield write(result);
  } catch (error) {
    log.error('stream failed', {
      reason: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown',
    });
    throw new A2ARefusal('INTERNAL_ERROR');
  }
}

async function collect(texts: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const text of texts) all += text;
  return all;
}

/** The last event is that of the error, if one interrupts the results. */
async function* writeEvents(
  results: AsyncIterable<unknown>,
  binding: Binding,
  log: Log,
): AsyncGenerator<string> {
  try {
    yield* writeResults(results, (result) => formatSSEEvent(binding.result(result)), log);
  } catch (error) {
    if (!(error instanceof A2ARefusal)) throw error;
    yield binding.errorEvent(error);
  }
}
