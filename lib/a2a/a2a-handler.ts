// The handler of the hosted A2A URLs. It applies the access rule `a2aRegistryAccess`, then serves JSON-RPC.
import { formatSSEEvent } from '@a2a-js/sdk';
import { serveJsonRpc } from '#lib/a2a/serve.ts';
import { requireRegistryAccess } from '#lib/access/a2a-registry-access.ts';
import type { Answer } from '#lib/http/answer.ts';
import { withHeartbeat } from '#lib/http/heartbeat.ts';
import type { Request } from '#lib/http/request.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';

/** Finds the agent that a path names. */
type FindAgent<P> = (params: P) => Promise<StoredRow | undefined>;

/** A2A allows the version in the query, for clients that cannot set headers. */
interface VersionQuery {
  readonly 'A2A-Version'?: string | undefined;
}

/** Serves callers whom the visibility of the agent admits. */
export const createA2AHandler =
  <P>(findAgent: FindAgent<P>) =>
  async (request: Request<P, VersionQuery>): Promise<Answer<never>> => {
    const row = requireRegistryAccess(await findAgent(request.params), request.caller);
    const { caller, log, remainingMs, signal, isAdmitted } = request;
    const context = { row, caller, log, remainingMs, signal };
    const version = request.headers['a2a-version'] || request.query['A2A-Version'];
    const answer = await serveJsonRpc(context, request.rawBody, version);
    if ('json' in answer) return { text: JSON.stringify(answer.json), contentType: 'application/json' };
    if ('later' in answer) {
      return {
        stream: withHeartbeat(toJsonText(answer.later), { beat: ' ' }),
        contentType: 'application/json',
      };
    }
    const heartbeat = { beat: ': ping\n\n', isAdmitted, refusal: formatSSEEvent(answer.refusal) };
    return {
      stream: withHeartbeat(toServerSentEvents(answer.events), heartbeat),
      contentType: 'text/event-stream',
    };
  };

async function* toJsonText(answers: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const answer of answers) yield JSON.stringify(answer);
}

async function* toServerSentEvents(events: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const event of events) yield formatSSEEvent(event);
}
