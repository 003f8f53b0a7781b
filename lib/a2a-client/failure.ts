// Converts errors of the A2A SDK to the engine's own. Import this file lazily only.
import { A2AError } from '@a2a-js/sdk/errors';
import { hostName, networkFailure } from '#lib/egress/network-failure.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { truncate } from '#lib/truncate.ts';
import type { AgentEndpoint } from './agent-endpoint.ts';

/** The length of an agent's own error message to show, which helps the author of a flow. */
const excerptLength = 300;

interface FailureContext {
  readonly host: string;
  readonly signal: AbortSignal;
  readonly redact: (text: string) => string;
}

/** A NodeError with an `a2a.…`, `egress.…` or `connection.…` code, or `timeout`. */
export function agentFailure(error: unknown, { host, signal, redact }: FailureContext): NodeError {
  const network = networkFailure(error, { host, signal, noAnswer: 'a2a.unavailable' });
  if (network) return network;
  // No `cause` for errors sent by the agent: they may repeat the credential.
  if (error instanceof A2AError) {
    const message = truncate(redact(error.message), excerptLength);
    const code = error.reason === 'EXTENSION_SUPPORT_REQUIRED' ? 'a2a.extension_required' : 'a2a.error';
    return new NodeError(code, `${host} answered with an error: ${message}`);
  }
  return new NodeError('a2a.bad_answer', `${host} gave an answer that is not in the form of A2A.`);
}

export function refusedStatus({ status, headers }: Response, endpoint: AgentEndpoint): NodeError | undefined {
  const host = hostName(endpoint.url);
  const retryAfter = headers.get('retry-after') ?? undefined;
  if (status === 401 || status === 403)
    return new NodeError('a2a.unauthorized', `${describeRefusal(endpoint)} (${status}).`);
  if (status === 429)
    return new NodeError('a2a.rate_limited', `${host} is rate limited (429).`, { retryAfter });
  if (status >= 502 && status <= 504)
    return new NodeError('a2a.unavailable', `${host} is not available (${status}).`, { retryAfter });
  return undefined;
}

/** This service answers alike for an agent that does not exist and one that the caller may not use. */
function describeRefusal({ url, isOwn, hasCredential }: AgentEndpoint): string {
  const who = isOwn ? `There is no agent ${url.split('/').at(-1)}` : `${hostName(url)} does not answer`;
  if (!hasCredential) return `${who} without credentials: the call names no \`connection\``;
  return isOwn ? `${who} for these credentials` : `${hostName(url)} does not accept the credentials`;
}
