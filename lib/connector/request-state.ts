// What a call leaves with its client while the user is asked: which task asks, and what. The client returns it with
// the answer. A MAC under a key of the tenant binds it to the caller, to the method and to a time.
import { createRequestStateCodec, type RequestStateCodec } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { derivedKey } from '#lib/dynamo/derived-key.ts';
import type { ToolCall } from './tool.ts';

/** A person may take this long to answer. */
const lifetimeSeconds = 3_600;

const requestState = z.object({
  registry_id: z.string(),
  task_id: z.string(),
  /** The id of the question; none where the user was sent to the configuration page. */
  question: z.string().optional(),
});
export type RequestState = z.infer<typeof requestState>;

export async function createStateCodec({ orgid, id }: Caller): Promise<RequestStateCodec<unknown>> {
  const key = Buffer.from((await derivedKey('connectorState')).reveal(), 'base64');
  return createRequestStateCodec({
    key,
    ttlSeconds: lifetimeSeconds,
    bind: ({ mcpReq }) => JSON.stringify([orgid, id, mcpReq.method]),
  });
}

/** The server has verified it before the tool is called. */
export function readState({ mcp }: ToolCall): RequestState | undefined {
  const state: unknown = mcp.requestState();
  return state === undefined ? undefined : requestState.parse(state);
}
