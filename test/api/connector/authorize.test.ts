// What API Gateway refuses before it calls the connector: clients see the challenge under its own name.
import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { problem } from '#lib/http/problem.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { connectorUrl, mcpError, postMessage } from '#test/support/connector.ts';
import { idle } from '#test/support/control.ts';
import { newPerson, type Person } from '#test/support/person.ts';
import { serviceUrl } from '#test/support/service-url.ts';
import { newToken } from '#test/support/tokens.ts';

let person: Person;
beforeAll(async () => {
  person = await newPerson();
});

const metadata = () => `${serviceUrl()}/.well-known/oauth-protected-resource/api/v1/ai/mcp`;
const listTools = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
const bearer = async (scopes: readonly ('agents:read' | 'agents:call')[]) => ({
  authorization: `Bearer ${await newToken(person, { scopes, resource: 'connector' })}`,
});
/** As clients of revision 2026-07-28 send it, whose headers repeat the method and the name. */
const modern = (method: string, name?: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
});
const read = async (response: Response) => ({
  status: response.status,
  challenge: response.headers.get('www-authenticate'),
  problem: problem.parse(mcpError.parse(await response.json()).error.data),
});

describe('200', () => {
  test.each<[string, () => Promise<Readonly<Record<string, string>>>]>([
    ['an API key in X-API-Key', async () => ({ 'x-api-key': (await newCaller()).key })],
    ['an API key as a Bearer token', async () => ({ authorization: `Bearer ${(await newCaller()).key}` })],
    ['an access token as a Bearer token', async () => await bearer(['agents:read', 'agents:call'])],
    [
      'an access token in X-API-Key',
      async () => ({ 'x-api-key': await newToken(person, { resource: 'connector' }) }),
    ],
    ['the session of a page of the service', async () => person.page],
  ])('%s', async (_what, headers) => {
    const response = await postMessage(listTools, { headers: await headers() });
    expect(response.status).toBe(200);
  });
});

describe('401', () => {
  const challenge = () =>
    `Bearer realm="agent-flow", resource_metadata="${metadata()}", scope="agents:read agents:call"`;

  test.each<[string, () => Promise<Readonly<Record<string, string>>>]>([
    ['without credentials', async () => ({})],
    ['with a bad key', async () => ({ 'x-api-key': 'bad' })],
    ['with another scheme', async () => ({ authorization: 'Basic YTpi' })],
    ['with a token for the API', async () => ({ authorization: `Bearer ${await newToken(person)}` })],
    ['with two credentials', async () => ({ ...(await bearer([])), 'x-api-key': (await newCaller()).key })],
  ])('%s, a client learns where tokens are issued and which scopes it needs', async (_what, headers) => {
    const response = await postMessage(listTools, { headers: await headers() });
    expect(response.headers.get('content-type')).toBe('application/json');
    const requestId = response.headers.get('x-request-id');
    expect(await read(response)).toMatchObject({
      status: 401,
      challenge: challenge(),
      problem: { code: 'unauthenticated', instance: requestId },
    });
  });

  test('pages of other origins may read the challenge', async () => {
    const response = await postMessage(listTools, { headers: { origin: 'https://inspector.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
  });

  test('the function says the same of the credentials that it takes', async () => {
    const { problem } = await read(await postMessage(listTools));
    const { detail } = (await call('getMe')).problem;
    expect(problem.detail).toBe(detail);
  });
});

describe('403', () => {
  const challenge = () =>
    `Bearer realm="agent-flow", error="insufficient_scope", resource_metadata="${metadata()}", scope="agents:read agents:call"`;

  test.each<[string, 'agents:read' | 'agents:call', Readonly<Record<string, string>>]>([
    ['call_agent', 'agents:read', modern('tools/call', 'call_agent')],
    ['list_agents', 'agents:call', modern('tools/call', 'list_agents')],
    ['discover_agents', 'agents:call', modern('tools/call', 'discover_agents')],
    ['a method of tasks', 'agents:read', modern('tasks/get', crypto.randomUUID())],
    ['any message of a client before 2026-07-28', 'agents:read', {}],
    ['any message of a client before 2026-07-28', 'agents:call', { 'mcp-protocol-version': '2025-11-25' }],
  ])('%s with %s only: the challenge names all scopes that are needed', async (_what, scope, headers) => {
    const response = await postMessage(listTools, { headers: { ...(await bearer([scope])), ...headers } });
    const { resourceMetadataUrl, error } = extractWWWAuthenticateParams(response);
    expect({ resourceMetadataUrl: String(resourceMetadataUrl), error }).toEqual({
      resourceMetadataUrl: metadata(),
      error: 'insufficient_scope',
    });
    expect(await read(response)).toMatchObject({
      status: 403,
      challenge: challenge(),
      problem: { code: 'insufficient_scope' },
    });
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['tools/list', modern('tools/list')],
    ['server/discover', modern('server/discover')],
    ['a tool that does not exist', modern('tools/call', 'constructor')],
  ])('%s needs no scope', async (_what, headers) => {
    const response = await fetch(connectorUrl(), {
      method: 'POST',
      headers: {
        ...headers,
        ...(await bearer([])),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: listTools,
    });
    expect(response.status).not.toBe(403);
  });

  test('a header that says less than the message does not help: the function judges the message', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'call_agent' },
    });
    const headers = { ...(await bearer(['agents:read'])), ...modern('tools/call', 'list_agents') };
    expect((await postMessage(body, { headers })).status).toBe(403);
  });

  test('what is refused is in the audit trail of the organisation', async () => {
    const headers = { ...(await bearer(['agents:read'])), ...modern('tools/call', 'call_agent') };
    const requestId = (await postMessage(listTools, { headers })).headers.get('x-request-id');
    await idle();
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const { body } = await call('listAudit', { headers: person.page, query: { from: since } });
    const record = body.items.find(({ requestid }) => requestid === requestId);
    expect(record).toMatchObject({
      operation: 'connector/serve',
      caller: person.id,
      status: 403,
      code: 'insufficient_scope',
    });
  });
});

test('nothing of the URL or the body decides: other methods of the path are 405 without credentials', async () => {
  const response = await fetch(connectorUrl());
  expect(response.status).toBe(405);
  expect(z.looseObject({ error: z.unknown() }).parse(await response.json()).error).toBeTruthy();
});
