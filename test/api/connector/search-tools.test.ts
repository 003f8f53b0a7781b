// The tools `search` and `fetch`, which a tenant switches on: in this process, whose environment has the setting.
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { newRegistryId } from '#lib/ids.ts';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';
import { card } from '#test/support/builders.ts';
import { request } from '#test/support/call-cost.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { liveAgent } from '#test/support/flows.ts';

beforeAll(() => {
  installAwsLambda();
  process.env.CONNECTOR_SEARCH_TOOLS = 'true';
});

const answer = z.object({ result: z.looseObject({}) });

async function send(caller: TestCaller, method: string, params: object) {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const { body: text } = await request('callConnector', caller, { body });
  return answer.parse(JSON.parse(text.replace(/^.*^data: /ms, ''))).result;
}

const callTool = async (caller: TestCaller, name: string, args: object) =>
  await send(caller, 'tools/call', { name, arguments: args });

const found = z.object({
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  structuredContent: z.looseObject({}),
});

/** The JSON of the text, which is also the structured content. */
function readJson(result: unknown): unknown {
  const { content, structuredContent } = found.parse(result);
  expect(JSON.parse(content[0].text)).toEqual(structuredContent);
  return structuredContent;
}

test('they are listed after the others', async () => {
  const { tools } = z
    .looseObject({ tools: z.array(z.looseObject({ name: z.string() })) })
    .parse(await send(await newCaller(), 'tools/list', {}));
  expect(tools.map(({ name }) => name)).toEqual([
    'discover_agents',
    'list_agents',
    'call_agent',
    'search',
    'fetch',
  ]);
});

describe('an agent', () => {
  test('is found by what it does, and shown by its id', async () => {
    const word = unique('').slice(1);
    const agent = await liveAgent({
      agent_card: card({ name: 'Zoo', description: `Counts every ${word}.` }),
    });
    const id = agent.a2aregistryid;
    const result = {
      id,
      title: 'Zoo',
      url: expect.stringContaining(`/agents/${id}/.well-known/agent-card.json`),
    };
    expect(readJson(await callTool(agent, 'search', { query: word }))).toEqual({ results: [result] });
    expect(readJson(await callTool(agent, 'fetch', { id }))).toEqual({
      ...result,
      text: expect.stringContaining(`Counts every ${word}.`),
      metadata: { flow_id: agent.flowid, status: 'live' },
    });
  });

  test('of another organisation is neither found nor shown', async () => {
    const word = unique('').slice(1);
    const agent = await liveAgent({ agent_card: card({ description: `Counts every ${word}.` }) });
    const stranger = await newCaller();
    expect(readJson(await callTool(stranger, 'search', { query: word }))).toEqual({ results: [] });
    const missing = await callTool(stranger, 'fetch', { id: newRegistryId() });
    expect(missing).toMatchObject({ isError: true });
    expect(await callTool(stranger, 'fetch', { id: agent.a2aregistryid })).toEqual(missing);
  });
});

test('a key that may not read flows is refused, and named the permission', async () => {
  const caller = await newCaller({ scopes: [] });
  for (const [name, args] of [
    ['search', { query: 'x' }],
    ['fetch', { id: newRegistryId() }],
  ] as const)
    expect(JSON.stringify(await callTool(caller, name, args))).toContain('assistants.flows:read');
});
