// A flow that calls an agent which requires an extension: an agent of its organisation, and one by its URL.
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import { card, flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { putConnection } from '#test/support/connections.ts';
import { liveAgent } from '#test/support/flows.ts';
import { testedService } from '#test/support/tested-service.ts';

const { baseUrl } = testedService();
const { host } = new URL(baseUrl);
const connections = { agents: { type: 'http_header', hosts: [host] } };
const uri = 'https://ext.example/signing/v1';

/** Asks the agent, and answers what it has answered. */
async function callAgent(caller: TestCaller, node: JsonObject): Promise<unknown> {
  const nodes = {
    out: { type: 'a2a', message: 'Hi', ...node, next: 'done' },
    done: { type: 'end', output: { data: '{{ nodes.out.data }}' } },
  };
  const agent = await liveAgent({ flow: flow({ start: 'out', nodes, egress: [host], connections }) }, caller);
  const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
  return (await call('triggerFlow', { key: agent.key, params, body: { message: 'Hello' } })).body;
}

describe.each(['by its id', 'by its URL', 'by its URL of 0.3'])('an agent that is called %s', (way) => {
  let caller: TestCaller;
  let node: JsonObject;
  beforeAll(async () => {
    caller = await newCaller();
    const credential = { header: 'X-API-Key', value: caller.key };
    await putConnection(caller, 'agents', { type: 'http_header', hosts: [host], credential });
    const strict = await liveAgent(
      {
        agent_card: card({ capabilities: { extensions: [{ uri: 'urn:other' }, { uri, required: true }] } }),
        flow: flow({ nodes: { done: { type: 'end', output: { active: '{{ input.a2a.extensions }}' } } } }),
      },
      caller,
    );
    const url = `${baseUrl}/api/v1/ai/a2a/${strict.flowid}/${way.includes('0.3') ? 'v0.3/' : ''}`;
    node = { agent: way === 'by its id' ? strict.a2aregistryid : url, connection: 'agents' };
  });

  test('fails the node with the URI of an extension that it requires', async () => {
    for (const extensions of [undefined, ['urn:other']]) {
      const run = await callAgent(caller, { ...node, ...(extensions && { extensions }) });
      expect(run).toMatchObject({ status: 'failed', error: expect.stringContaining(uri) });
      expect(JSON.stringify(run)).toContain('a2a.extension_required');
    }
  });

  test('reads the extensions that the node activates', async () => {
    const run = await callAgent(caller, { ...node, extensions: [uri, 'urn:unknown'] });
    expect(run).toMatchObject({ status: 'completed', response: { data: { active: [uri] } } });
  });
});
