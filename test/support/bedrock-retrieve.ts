// `Retrieve` of Agents for Amazon Bedrock Runtime as a server: the request and the errors as its API reference has them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';

const retrieveRequest = z.strictObject({
  retrievalQuery: z.strictObject({ text: z.string().min(1).max(20_000) }),
  retrievalConfiguration: z.strictObject({
    vectorSearchConfiguration: z.strictObject({ numberOfResults: z.int().min(1).max(100) }),
  }),
});

/** One of `retrievalResults`. */
export type RetrievalResult = Readonly<Record<string, unknown>>;

/** Gives the results of a knowledge base; undefined if the role may not search it, or there is none. */
export type FindResults = (knowledgeBaseId: string) => readonly RetrievalResult[] | undefined;

interface Refusal {
  readonly status: number;
  readonly name: string;
}

export function answerRetrieve(
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
  find: FindResults,
): void {
  const answer = retrieve(request, body, find);
  if ('status' in answer) {
    refuseRetrieve(response, answer);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ guardrailAction: 'NONE', nextToken: 'token-of-the-next-page', ...answer }));
}

function retrieve(
  request: IncomingMessage,
  body: string,
  find: FindResults,
): Refusal | { readonly retrievalResults: readonly RetrievalResult[] } {
  const [, id] = /^\/knowledgebases\/([0-9a-zA-Z]{1,10})\/retrieve$/.exec(request.url ?? '') ?? [];
  if (request.method !== 'POST' || id === undefined)
    return { status: 404, name: 'UnknownOperationException' };
  const isJson = request.headers['content-type']?.split(';')[0] === 'application/json';
  const { success, data } = retrieveRequest.safeParse(toJson(body));
  if (!isJson || !success) return { status: 400, name: 'ValidationException' };
  const { numberOfResults } = data.retrievalConfiguration.vectorSearchConfiguration;
  const results = find(id);
  if (!results) return { status: 403, name: 'AccessDeniedException' };
  return { retrievalResults: results.slice(0, numberOfResults) };
}

/** The name of the error is in a header. */
export function refuseRetrieve(response: ServerResponse, { status, name }: Refusal): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
  });
  response.end(JSON.stringify({ message: `${name} of this request` }));
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
