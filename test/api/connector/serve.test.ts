// The connector by the official client of MCP, in both eras, and what its gate refuses.
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { card, newRow, promoted } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { connectorUrl, eras, mcpClient, mcpError, postMessage, readText } from '#test/support/connector.ts';
import { liveAgent } from '#test/support/flows.ts';
import { serviceUrl } from '#test/support/service-url.ts';

const listed = z.object({
  agents: z.array(z.looseObject({ registry_id: z.string(), name: z.string(), status: z.string() })),
  next_cursor: z.string().optional(),
});
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

describe('200', () => {
  test.each(eras)('a %s client lists the tools, with their schemas and annotations', async (era) => {
    const client = await mcpClient(await newCaller(), era);
    expect(client.getServerVersion()?.name).toBe('agent-flow-service');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['discover_agents', 'list_agents', 'call_agent']);
    for (const tool of tools) {
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
      expect(tool.annotations?.title).toBe(tool.title);
    }
    await client.close();
  });

  test.each(eras)('a %s client finds an agent by a question, and reads why it fits', async (era) => {
    const caller = await newCaller();
    const agent = await liveAgent(
      { agent_card: card({ name: 'Refunds', description: 'Refunds orders of the zoo shop.' }) },
      caller,
    );
    await liveAgent({ agent_card: card({ name: 'Weather', description: 'Tells the weather.' }) }, caller);
    const client = await mcpClient(caller, era);
    const result = await client.callTool({
      name: 'discover_agents',
      arguments: { query: 'refund my order of the zoo shop', limit: 1 },
    });
    expect(result.isError).toBeFalsy();
    expect(listed.parse(result.structuredContent).agents).toMatchObject([
      { registry_id: agent.a2aregistryid, flow_id: agent.flowid, name: 'Refunds', status: 'live' },
    ]);
    expect(readText(result)).toContain(`Refunds (${agent.a2aregistryid}): Refunds orders of the zoo shop.`);
    await client.close();
  });

  test('agents are listed newest first, in pages', async () => {
    const caller = await newCaller();
    const ids: string[] = [];
    for (const name of ['First', 'Second', 'Third'])
      ids.unshift((await liveAgent({ agent_card: card({ name }) }, caller)).a2aregistryid);
    const client = await mcpClient(caller);
    const page = async (cursor?: string) =>
      listed.parse(
        (
          await client.callTool({
            name: 'list_agents',
            arguments: { limit: 2, visibility: 'organization', ...(cursor && { cursor }) },
          })
        ).structuredContent,
      );
    const first = await page();
    expect(first.agents.map(({ registry_id }) => registry_id)).toEqual(ids.slice(0, 2));
    const second = await page(first.next_cursor);
    expect(second.agents.map(({ registry_id }) => registry_id)).toEqual(ids.slice(2));
    expect(second.next_cursor).toBeUndefined();
    await client.close();
  });

  test('a page has up to 50 live agents, newest first, of two organisations only what is public', async () => {
    const [caller, other] = [await newCaller(), await newCaller()];
    const hidden = await liveAgent({ visibility: 'organization' }, other);
    const ids: string[] = [];
    for (let n = 0; n < 51; n += 1) ids.unshift((await liveAgent({}, caller)).a2aregistryid);
    const open = await liveAgent({ visibility: 'public' }, other);
    const client = await mcpClient(caller);
    const list = async (args: object) =>
      listed.parse(
        (await client.callTool({ name: 'list_agents', arguments: { ...args } })).structuredContent,
      );
    const own = await list({ visibility: 'organization' });
    expect(own.agents.map(({ registry_id }) => registry_id)).toEqual(ids.slice(0, 50));
    expect(own.next_cursor).toBeDefined();
    const all = (await list({ limit: 50 })).agents.map(({ registry_id }) => registry_id);
    expect(all).toContain(open.a2aregistryid);
    expect(all).not.toContain(hidden.a2aregistryid);
    await client.close();
  });

  test('builds that are not live are listed on request, to callers of their workspace', async () => {
    const caller = await newCaller();
    const row = await newRow(caller, {});
    const client = await mcpClient(caller);
    const call = { name: 'list_agents', arguments: { status: 'test' } };
    expect(listed.parse((await client.callTool(call)).structuredContent).agents).toMatchObject([
      { registry_id: row.a2aregistryid, status: 'test' },
    ]);
    await promoted(caller, row);
    expect(listed.parse((await client.callTool(call)).structuredContent).agents).toEqual([]);
    await client.close();
  });

  test('agents of other organisations are found only if they are public', async () => {
    const word = `zebra${crypto.randomUUID().slice(0, 8)}`;
    const owner = await newCaller();
    const some = { agent_card: card({ description: `Counts every ${word}.` }) };
    const open = await liveAgent({ ...some, visibility: 'public' }, owner);
    await liveAgent({ ...some, visibility: 'organization' }, owner);
    const client = await mcpClient(await newCaller());
    const result = await client.callTool({ name: 'discover_agents', arguments: { query: word } });
    const { agents } = listed.parse(result.structuredContent);
    expect(agents.map(({ registry_id }) => registry_id)).toEqual([open.a2aregistryid]);
    await client.close();
  });

  test('a question that nothing fits is answered with what to do next', async () => {
    const client = await mcpClient(await newCaller());
    const result = await client.callTool({ name: 'discover_agents', arguments: { query: 'xyzzy' } });
    expect(result).toMatchObject({ structuredContent: { agents: [] } });
    expect(readText(result)).toContain('list_agents');
    await client.close();
  });

  test('arguments that are not valid are listed in the result, by name', async () => {
    const client = await mcpClient(await newCaller());
    const result = await client.callTool({ name: 'discover_agents', arguments: { limit: 21, color: 'red' } });
    expect(result.isError).toBe(true);
    const text = readText(result);
    expect(text).toMatch(/^The arguments of discover_agents are not valid:\n/);
    for (const name of ['query', 'limit', 'color']) expect(text).toContain(`- ${name}: `);
    await client.close();
  });

  test('a key without the permission to read flows is named the permission that it lacks', async () => {
    const client = await mcpClient(await newCaller({ scopes: [] }));
    const result = await client.callTool({ name: 'list_agents', arguments: {} });
    expect(result.isError).toBe(true);
    expect(readText(result)).toContain('assistants.flows:read');
    await client.close();
  });

  test('a cursor of another caller is refused', async () => {
    const caller = await newCaller();
    for (const name of ['One', 'Two']) await liveAgent({ agent_card: card({ name }) }, caller);
    const [ours, theirs] = [await mcpClient(caller), await mcpClient(await newCaller())];
    const first = await ours.callTool({ name: 'list_agents', arguments: { limit: 1 } });
    const cursor = listed.parse(first.structuredContent).next_cursor;
    const result = await theirs.callTool({ name: 'list_agents', arguments: { limit: 1, cursor } });
    expect(result.isError).toBe(true);
    expect(readText(result)).toMatch(/^The arguments of list_agents are not valid:\n- cursor: must be /);
    await Promise.all([ours.close(), theirs.close()]);
  });
});

test('a notification is answered with 202 and no body', async () => {
  const { key } = await newCaller();
  const sent = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const response = await postMessage(sent, { key });
  expect(response.status).toBe(202);
  expect(await response.text()).toBe('');
});

test('a JSON type of another name is JSON too', async () => {
  const { key } = await newCaller();
  const headers = { 'content-type': 'application/vnd.mcp+json; charset=utf-8' };
  const response = await postMessage(JSON.stringify(listTools), { key, headers });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('call_agent');
});

describe('400', () => {
  test.each([
    ['cut off', '{', -32700],
    ['empty', '', -32700],
    ['an empty batch', '[]', -32600],
    ['a batch', `[${JSON.stringify(listTools)}]`, -32600],
    ['a text', '"text"', -32600],
    ['nested too deep', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, -32600],
    ['given a long id', `{"jsonrpc":"2.0","id":"${'x'.repeat(1_025)}","method":"ping"}`, -32600],
    ['not valid Unicode', '{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', -32600],
  ])('a body that is %s is a JSON-RPC error', async (_what, text, code) => {
    const { key } = await newCaller();
    const response = await postMessage(text, { key });
    expect(response.status).toBe(400);
    expect(mcpError.parse(await response.json())).toMatchObject({ id: null, error: { code } });
  });

  test('a revision that the service does not have is answered with those that it has', async () => {
    const { key } = await newCaller();
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2031-01-01',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const response = await postMessage(JSON.stringify({ ...listTools, params: { _meta } }), {
      key,
      headers: { 'mcp-protocol-version': '2031-01-01', 'mcp-method': 'tools/list' },
    });
    expect(response.status).toBe(400);
    expect(mcpError.parse(await response.json())).toMatchObject({
      error: { code: -32022, data: { supported: ['2026-07-28'] } },
    });
  });
});

describe('401', () => {
  test.each([undefined, 'bad'])('a request with the key %j is challenged', async (key) => {
    const response = await postMessage(JSON.stringify(listTools), key === undefined ? {} : { key });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer realm="agent-flow", resource_metadata="${serviceUrl()}/.well-known/oauth-protected-resource/api/v1/ai/mcp", scope="agents:read agents:call"`,
    );
    expect(mcpError.parse(await response.json()).error.data).toMatchObject({ code: 'unauthenticated' });
  });
});

describe('403', () => {
  test.each(['https://evil.example', 'null', 'http://localhost:1'])(
    'a page of the origin %s may not call',
    async (origin) => {
      const { key } = await newCaller();
      const response = await postMessage(JSON.stringify(listTools), { key, headers: { origin } });
      expect(response.status).toBe(403);
      expect(mcpError.parse(await response.json()).error.data).toMatchObject({ code: 'cross_site_request' });
    },
  );

  test('a page of the service itself may call', async () => {
    const { key } = await newCaller();
    const { origin } = new URL(connectorUrl());
    const response = await postMessage(JSON.stringify(listTools), { key, headers: { origin } });
    expect(response.status).toBe(200);
    await response.text();
  });
});

test('GET and DELETE are answered with 405, since there are no sessions', async () => {
  const { key } = await newCaller();
  for (const method of ['GET', 'DELETE']) {
    const response = await fetch(connectorUrl(), { method, headers: { 'x-api-key': key } });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toContain('POST');
    expect(mcpError.parse(await response.json()).id).toBeNull();
  }
});
