// What the A2A SDK throws, as the engine's own errors. Import this file lazily only.
import { A2AError } from '@a2a-js/sdk/errors';
import { hostOf, networkFailure } from '#lib/egress/network-failure.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { truncate } from '#lib/truncate.ts';
import type { AgentPlace } from './port.ts';

/** An agent's own words about what went wrong help the author of a flow; this much of them. */
const excerptLength = 300;

interface Way {
  readonly host: string;
  readonly signal: AbortSignal;
  readonly hide: (text: string) => string;
}

/** A NodeError with an `a2a.…`, `egress.…` or `connection.…` code, or `timeout`. */
export function agentFailure(error: unknown, { host, signal, hide }: Way): NodeError {
  const network = networkFailure(error, { host, signal, noAnswer: 'a2a.unavailable' });
  if (network) return network;
  // No cause where the agent has spoken: it may have repeated what it was sent.
  if (error instanceof A2AError) {
    const said = truncate(hide(error.message), excerptLength);
    return new NodeError('a2a.error', `${host} answered with an error: ${said}`);
  }
  return new NodeError('a2a.bad_answer', `${host} gave an answer that is not in the form of A2A.`);
}

export function refusedStatus(status: number, { url, isOwn }: AgentPlace): NodeError | undefined {
  const host = hostOf(url);
  if (status === 401 || status === 403) {
    // This service does not tell an agent that is gone from one that is not for the caller.
    const why = isOwn
      ? `There is no agent ${url.split('/').at(-1)} for these credentials`
      : `${host} does not accept the credentials`;
    return new NodeError('a2a.unauthorized', `${why} (${status}).`);
  }
  if (status === 429) return new NodeError('a2a.rate_limited', `${host} is rate limited (429).`);
  if (status >= 502 && status <= 504)
    return new NodeError('a2a.unavailable', `${host} is not available (${status}).`);
  return undefined;
}
