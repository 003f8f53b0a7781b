// A2A clients for tests: the official one, and a bare JSON-RPC call for what the official one would never
// send.
import { expect } from 'vitest';
import * as z from 'zod';
import type { TestAgent } from './flows.ts';
import { serviceUrl } from './service-url.ts';

export { asTask, newMessage, officialClient, sending } from './official-client.ts';

/** As `hosted_url` has them: with a slash at the end. */
export const agentUrls = (agent: Pick<TestAgent, 'flowid' | 'a2aregistryid'>) => {
  const root = `${serviceUrl()}/api/v1/ai/a2a`;
  return {
    live: `${root}/${agent.flowid}/`,
    test: `${root}/${agent.flowid}/${agent.a2aregistryid}/`,
    build: `${root}/${agent.flowid}/build-1/`,
    agent: `${root}/agents/${agent.a2aregistryid}/`,
  };
};

const taskResult = z.object({ task: z.looseObject({ id: z.string() }) });

/** The id of the task that SendMessage answered. */
export const readTaskId = (result: unknown): string => taskResult.parse(result).task.id;

export const rpcAnswer = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  result: z.record(z.string(), z.unknown()).nullish(),
  error: z
    .object({ code: z.number(), message: z.string(), data: z.array(z.looseObject({})).optional() })
    .optional(),
});

interface SentRequest {
  /** Sent as it is. */
  readonly text: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function post(url: string, { text, key, headers }: SentRequest): Promise<Response> {
  return await fetch(url, {
    method: 'POST',
    body: text,
    headers: {
      'content-type': 'application/json',
      'a2a-version': '1.0',
      ...(key !== undefined && { 'x-api-key': key }),
      ...headers,
    },
  });
}

/** A JSON-RPC request whose answer is one too, with status 200. */
export async function rpc(url: string, key: string, method: string, params?: unknown, headers = {}) {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 'r-1', method, params });
  return await rpcText(url, key, text, headers);
}

export async function rpcText(url: string, key: string, text: string, headers = {}) {
  const response = await post(url, { text, key, headers });
  const answerText = await response.text();
  expect(response.status, answerText).toBe(200);
  return rpcAnswer.parse(JSON.parse(answerText));
}

/** The code of the error that a request must be answered with, and its message. */
export async function refusal(url: string, key: string, method: string, params?: unknown) {
  const { error, id } = await rpc(url, key, method, params);
  expect(id).toBe('r-1');
  if (!error) throw new Error('Expected an error.');
  return error;
}

const statusBody = z.object({
  error: z.object({
    code: z.number(),
    status: z.string(),
    message: z.string(),
    details: z.array(z.looseObject({ '@type': z.string() })),
  }),
});

interface HttpRequest {
  readonly method?: string;
  readonly key?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request of the HTTP+JSON binding; the path begins with a slash. */
export async function requestHttpJson(url: string, path: string, request: HttpRequest): Promise<Response> {
  const { key, body, text = body === undefined ? null : JSON.stringify(body), headers } = request;
  return await fetch(`${url}rest${path}`, {
    method: request.method ?? (text === null ? 'GET' : 'POST'),
    body: text,
    headers: {
      'a2a-version': '1.0',
      ...(text !== null && { 'content-type': 'application/a2a+json' }),
      ...(key !== undefined && { 'x-api-key': key }),
      ...headers,
    },
  });
}

/** The error that a request of the HTTP+JSON binding must be answered with, in the form of AIP-193. */
export async function httpRefusal(url: string, path: string, request: HttpRequest) {
  const response = await requestHttpJson(url, path, request);
  const text = await response.text();
  expect(response.headers.get('content-type'), text).toBe('application/a2a+json');
  const { error } = statusBody.parse(JSON.parse(text));
  expect(error.code, text).toBe(response.status);
  expect(error.details[0], text).toMatchObject({
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: expect.stringMatching(/^[A-Z_]+$/),
    domain: expect.any(String),
  });
  return { ...error, headers: response.headers, reason: error.details[0]?.reason };
}
