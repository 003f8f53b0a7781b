// The handler of the hosted A2A URLs: the access rule `a2aRegistryAccess` in front of every agent, JSON-RPC behind it.
import { formatSSEEvent } from '@a2a-js/sdk';
import { serveJsonRpc } from '#lib/a2a/serve.ts';
import { requireRegistryAccess } from '#lib/access/a2a-registry-access.ts';
import type { Answer } from '#lib/http/answer.ts';
import { withHeartbeat } from '#lib/http/heartbeat.ts';
import type { Request } from '#lib/http/request.ts';
import type { StoredRow } from '#lib/registry/stored-row.ts';

/** Finds the agent that a path names. */
type Find<P> = (params: P) => Promise<StoredRow | undefined>;

/** A2A allows the version in the query, for clients that cannot set headers. */
interface VersionQuery {
  readonly 'A2A-Version'?: string | undefined;
}

/** JSON-RPC with the agent, for callers whom its visibility admits. */
export const createA2AHandler =
  <P>(find: Find<P>) =>
  async (request: Request<P, VersionQuery>): Promise<Answer<never>> => {
    const row = requireRegistryAccess(await find(request.params), request.caller);
    const { caller, log, remainingMs, signal, isAdmitted } = request;
    const conversation = { row, caller, log, remainingMs, signal };
    const version = request.headers['a2a-version'] || request.query['A2A-Version'];
    const answer = await serveJsonRpc(conversation, request.rawBody, version);
    if ('json' in answer) return { text: JSON.stringify(answer.json), contentType: 'application/json' };
    if ('later' in answer) {
      return {
        stream: withHeartbeat(jsonText(answer.later), { beat: ' ' }),
        contentType: 'application/json',
      };
    }
    const heartbeat = { beat: ': ping\n\n', isAdmitted, refusal: formatSSEEvent(answer.refusal) };
    return {
      stream: withHeartbeat(serverSent(answer.events), heartbeat),
      contentType: 'text/event-stream',
    };
  };

async function* jsonText(answers: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const answer of answers) yield JSON.stringify(answer);
}

async function* serverSent(events: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const event of events) yield formatSSEEvent(event);
}
