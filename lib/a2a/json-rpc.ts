// The JSON-RPC binding (A2A v1.0.1 §9).
import { formatSSEEvent } from '@a2a-js/sdk';
import type { Answer } from '#lib/http/answer.ts';
import { type A2ARequest, type Binding, toAnswer } from './binding.ts';
import { A2ARefusal, errorResponse, type JsonRpcId } from './errors.ts';
import { callMethod } from './methods.ts';
import type { CallContext } from './own-task.ts';
import { parseBody, parseRequest, readId, requireVersion } from './request.ts';

/** Throws only errors that are not part of the protocol. */
export async function serveJsonRpc(context: CallContext, request: A2ARequest): Promise<Answer<never>> {
  let id: JsonRpcId = null;
  try {
    const value = parseBody(request.rawBody);
    id = readId(value);
    const { method, params } = parseRequest(value);
    requireVersion(request);
    return await toAnswer(await callMethod(context, method, params), jsonRpcBinding(id), context, request);
  } catch (error) {
    if (!(error instanceof A2ARefusal)) throw error;
    return { text: JSON.stringify(errorResponse(id, error)), contentType };
  }
}

const contentType = 'application/json';

export const jsonRpcBinding = (id: JsonRpcId): Binding => ({
  contentType,
  result: (result) => ({ jsonrpc: '2.0', id, result }),
  error: (refusal) => errorResponse(id, refusal),
  errorEvent: (refusal) => formatSSEEvent(errorResponse(id, refusal)),
  // Authentication is part of HTTP, whose status has been sent by then.
  unauthenticatedEvent: (message) =>
    formatSSEEvent(errorResponse(id, new A2ARefusal('INVALID_REQUEST', message))),
});
