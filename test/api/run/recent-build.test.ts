// A worker remembers for a second which build the events of a flow run. What an event sees is as if it had read for it.
import { expect, test } from 'vitest';
import { flow, newRow, promoted } from '#test/support/builders.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { webhookMessage } from '#test/support/runs.ts';
import { state, work } from '#test/support/worker.ts';

const answering = (answer: string) =>
  flow({ start: 'done', nodes: { done: { type: 'end', output: { answer, region: '{{ env.REGION }}' } } } });

/** The response of the run of an event that was accepted now, or as long ago. */
async function ran(agent: TestAgent, agoMs = 0): Promise<unknown> {
  const accepted_at = new Date(Date.now() - agoMs).toISOString();
  const message = webhookMessage(agent, { accepted_at });
  expect(await work([JSON.stringify(message)])).toEqual({ batchItemFailures: [] });
  return (await state(agent, message.triggerId)).response;
}

test('an event that is accepted after a promotion runs the promoted build', async () => {
  const agent = await liveAgent({ flow: answering('first') });
  expect(await ran(agent, 60_000)).toMatchObject({ answer: 'first' });
  await promoted(agent, await newRow(agent, { flowid: agent.flowid, flow: answering('second') }));
  expect(await ran(agent)).toMatchObject({ answer: 'second' });
});

test('an event that is accepted after a change of the variables sees them', async () => {
  const agent = await liveAgent({ flow: answering('first') });
  await ran(agent, 60_000);
  const change = await call('setEnvironment', {
    key: agent.key,
    params: { environment: 'live' },
    query: { workspaceid: agent.workspaceid },
    body: { pins: {}, env: { REGION: 'eu' } },
  });
  expect(change.body.env).toEqual({ REGION: 'eu' });
  expect(await ran(agent)).toMatchObject({ region: 'eu' });
});
