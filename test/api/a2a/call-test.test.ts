import { TaskState } from '@a2a-js/sdk';
import { describe, expect, test } from 'vitest';
import { agentUrls, asTask, officialClient, sending } from '#test/support/a2a.ts';
import { flow, newRow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent } from '#test/support/flows.ts';

describe('200', () => {
  test.each(['test', 'build'] as const)(
    'the official client sends, streams and gets at the %s URL',
    async (kind) => {
      const caller = await newCaller();
      const row = await newRow(caller);
      const client = await officialClient(agentUrls(row)[kind], caller.key);
      const task = asTask(await client.sendMessage(sending('Hello')));
      expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
      expect(await client.getTask({ id: task.id, tenant: '' })).toEqual(task);
      const cases: unknown[] = [];
      for await (const each of client.sendMessageStream(sending('Hello'))) cases.push(each.payload?.$case);
      expect(cases).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
    },
  );

  test('each build answers at its own URL, whatever is live', async () => {
    const agent = await liveAgent();
    const nodes = { done: { type: 'end', output: { build: 2 } } };
    const second = await newRow(agent, { flowid: agent.flowid, flow: flow({ nodes }) });
    const said = async (registryId: string) => {
      const client = await officialClient(`${agentUrls(agent).live}${registryId}/`, agent.key);
      return asTask(await client.sendMessage(sending('Hello'))).artifacts[0]?.parts.at(-1)?.content?.value;
    };
    expect(await said('build-1')).toBe('Hello');
    expect(await said('build-2')).toEqual({ build: 2 });
    expect(await said(second.a2aregistryid)).toEqual({ build: 2 });
  });

  test('an env_variable of the build is visible to its flow only', async () => {
    const caller = await newCaller();
    const nodes = { done: { type: 'end', output: { shop: '{{ env.SHOP }}' } } };
    const row = await newRow(caller, { flow: flow({ nodes }), env_variable: { SHOP: 'north' } });
    const client = await officialClient(agentUrls(row).test, caller.key);
    const task = asTask(await client.sendMessage(sending('x')));
    expect(task.artifacts[0]?.parts.at(-1)?.content?.value).toBe('north');
  });
});

describe('401', () => {
  test('a build of another flow is not found', async () => {
    const agent = await liveAgent();
    const other = await liveAgent({}, agent);
    const params = { flowId: agent.flowid, registryId: other.a2aregistryid };
    expect((await call('callTestAgent', { key: agent.key, params, body: {} })).problem.code).toBe(
      'unauthenticated',
    );
  });

  test('a key of another organisation is refused at a test URL too', async () => {
    const agent = await liveAgent();
    const { key } = await newCaller();
    const params = { flowId: agent.flowid, registryId: 'build-1' };
    expect((await call('callTestAgent', { key, params, body: {} })).status).toBe(401);
  });
});
