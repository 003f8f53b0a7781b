// The timestamp of a status over HTTP: when the state changed, in tasks, on streams and for subscribers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentUrls, asTask, officialClient, sending } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

/** Puts out a message and an artifact, with a request that the test answers after each, and then asks. */
const outputFlow = (gates: readonly [string, string]) => {
  const request = (gate: string) => ({ type: 'http', url: `${upstream.url}/gate/${gate}` });
  return flow({
    egress: [upstream.host],
    start: 'one',
    nodes: {
      one: { type: 'reply', text: 'One.', next: 'first' },
      first: { ...request(gates[0]), next: 'two' },
      two: { type: 'reply', text: 'Two.', artifact: { artifact_id: 'two' }, next: 'second' },
      second: { ...request(gates[1]), next: 'sure' },
      sure: { type: 'ask', prompt: 'Sure?', next: 'done' },
      done: { type: 'end', output: { answer: 'Done.' } },
    },
  });
};

test('output moves neither the timestamp of the task nor that of its updates, a change of the state moves both', async () => {
  const gates = [unique('gate'), unique('gate')] as const;
  const agent = await liveAgent({ flow: outputFlow(gates) });
  const client = await officialClient(agentUrls(agent).agent, agent.key);
  const getTask = async (id: string) => asTask(await client.getTask({ id, tenant: '' }));
  const timestamps: (string | undefined)[] = [];
  const gaps = { one: '', two: '', updated: '' };
  let id = '';
  for await (const { payload } of client.sendMessageStream(sending('x'))) {
    if (payload?.$case === 'task') id = payload.value.id;
    if (payload?.$case === 'statusUpdate') timestamps.push(payload.value.status?.timestamp);
    if (timestamps.length === 1 && gaps.one === '') {
      gaps.one = (await getTask(id)).status?.timestamp ?? 'none';
      upstream.open(gates[0]);
    }
    if (payload?.$case === 'artifactUpdate') {
      gaps.two = (await getTask(id)).status?.timestamp ?? 'none';
      gaps.updated = (
        await call('getRunDetail', { key: agent.key, params: { workflow_id: id } })
      ).body.updated_at;
      upstream.open(gates[1]);
    }
  }
  const [working = '', asking = ''] = timestamps;
  expect(timestamps).toHaveLength(2);
  expect(gaps).toMatchObject({ one: working, two: working });
  expect(gaps.updated > working, 'updated_at of a run is the time of its last event').toBe(true);
  expect(asking > gaps.updated).toBe(true);
  expect((await getTask(id)).status?.timestamp).toBe(asking);
});
