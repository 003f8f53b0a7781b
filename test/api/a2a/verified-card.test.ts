// A flow that calls an agent of the service by its URL, and requires that its card is signed.
import { expect, test } from 'vitest';
import { flow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { putConnection } from '#test/support/connections.ts';
import { liveAgent } from '#test/support/flows.ts';
import { testedService } from '#test/support/tested-service.ts';

const { baseUrl } = testedService();
const { host } = new URL(baseUrl);

test.each(['by its short URL', 'by its registry id in the URL'])(
  'the card of a hosted agent of another organisation, called %s, is verified',
  async (way) => {
    const other = await liveAgent({ visibility: 'public' });
    const caller = await newCaller();
    const declared = { type: 'http_header', hosts: [host] };
    await putConnection(caller, 'agents', {
      ...declared,
      credential: { header: 'X-API-Key', value: caller.key },
    });
    const path = way.includes('short') ? other.flowid : `${other.flowid}/${other.a2aregistryid}`;
    const node = {
      type: 'a2a',
      agent: `${baseUrl}/api/v1/ai/a2a/${path}/`,
      message: 'Hi',
      verify: 'require',
      connection: 'agents',
      next: 'done',
    };
    const nodes = { out: node, done: { type: 'end', output: { text: '{{ nodes.out.text }}' } } };
    const calling = flow({ start: 'out', nodes, egress: [host], connections: { agents: declared } });
    const agent = await liveAgent({ flow: calling }, caller);
    const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
    const { text } = await call('triggerFlow', { key: agent.key, params, body: { message: 'Hello' } });
    expect(JSON.parse(text)).toMatchObject({ status: 'completed', response: { text: 'Hi' } });
  },
);
