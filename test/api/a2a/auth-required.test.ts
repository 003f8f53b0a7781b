// Flows whose connections are not stored: nothing runs, and each response names what is missing, for whom, and
// the page on which to store it.
import { TaskState } from '@a2a-js/sdk';
import { describe, expect, test } from 'vitest';
import { agentUrls, asTask, officialClient, refusal, sending } from '#test/support/a2a.ts';
import { readLink } from '#test/support/agent-config.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { bearer, putConnection } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { resumeRun, runState, startedRun } from '#test/support/run-calls.ts';
import { testedService } from '#test/support/tested-service.ts';

const hosts = ['api.crm.example'];
const connections = {
  crm: { type: 'http_bearer', hosts, label: 'The CRM' },
  mail: { type: 'http_bearer', hosts, scope: 'user' },
};
const needyAgent = async () => await liveAgent({ flow: flow({ connections }) });
const newClient = async (agent: TestAgent) => await officialClient(agentUrls(agent).agent, agent.key);

async function storeBoth(agent: TestAgent): Promise<void> {
  expect((await putConnection(agent, 'crm', bearer())).status).toBeLessThan(300);
  expect(
    (await putConnection(agent, 'mail', bearer('hunter2-hunter2', { scope: 'user' }))).status,
  ).toBeLessThan(300);
}

const buildUrl = (agent: TestAgent, taskId: string) =>
  `${testedService().baseUrl}/public/agent-config?registry_id=${agent.a2aregistryid}&task_id=${taskId}`;

describe('over A2A', () => {
  test('the task reports the missing connections and the URL to store them, and resumes once they are stored', async () => {
    const agent = await needyAgent();
    const client = await newClient(agent);
    const task = asTask(await client.sendMessage(sending('Hello')));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_AUTH_REQUIRED);
    const [text, data] = task.status?.message?.parts ?? [];
    const link = readLink(data?.content?.value);
    expect(link).toContain(`${buildUrl(agent, task.id)}&token=`);
    expect(text?.content?.value).toBe(
      `The flow needs connections that are not stored: crm (The CRM, of the organisation), mail (of the caller). Store them at ${link}; the task continues then.`,
    );
    expect(data?.content?.value).toEqual({
      configuration_url: link,
      connections: [
        { connection: 'crm', type: 'http_bearer', hosts, label: 'The CRM', scope: 'organization' },
        { connection: 'mail', type: 'http_bearer', hosts, scope: 'user' },
      ],
    });
    await storeBoth(agent);
    await idle();
    const done = await client.getTask({ id: task.id, tenant: '', historyLength: undefined });
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(JSON.stringify(done.artifacts)).toContain('"value":"Hello"');
  });

  test('a message that is sent too early is answered with the connections that are still missing', async () => {
    const agent = await needyAgent();
    const client = await newClient(agent);
    const { id } = asTask(await client.sendMessage(sending('Hello')));
    await putConnection(agent, 'crm', bearer());
    const again = asTask(await client.sendMessage(sending('Now?', { taskId: id })));
    expect(again.status?.state).toBe(TaskState.TASK_STATE_AUTH_REQUIRED);
    expect(JSON.stringify(again.status?.message)).not.toContain('The CRM');
    expect(JSON.stringify(again.status?.message)).toContain('mail (of the caller)');
  });

  test('a stream stays open while connections are missing, and ends with the task', async () => {
    const agent = await needyAgent();
    const client = await newClient(agent);
    const states: (TaskState | undefined)[] = [];
    for await (const { payload } of client.sendMessageStream(sending('Hello'))) {
      if (payload?.$case !== 'statusUpdate') continue;
      const { status } = payload.value;
      states.push(status?.state);
      if (status?.state === TaskState.TASK_STATE_AUTH_REQUIRED) await storeBoth(agent);
    }
    expect(states[0]).toBe(TaskState.TASK_STATE_AUTH_REQUIRED);
    expect(states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  test('a subscriber receives how a task continues whose connections are stored', async () => {
    const agent = await needyAgent();
    const client = await newClient(agent);
    const { id } = asTask(await client.sendMessage(sending('Hello')));
    const states: (TaskState | undefined)[] = [];
    for await (const { payload } of client.resubscribeTask({ id, tenant: '' })) {
      if (payload?.$case === 'task') await storeBoth(agent);
      if (payload?.$case === 'statusUpdate') states.push(payload.value.status?.state);
    }
    expect(states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  test('a message that announces stored connections is accepted while the task waits or resumes, and is not taken for an answer', async () => {
    const agent = await needyAgent();
    const client = await newClient(agent);
    const { id } = asTask(await client.sendMessage(sending('Hello')));
    await putConnection(agent, 'mail', bearer('hunter2-hunter2', { scope: 'user' }));
    const storing = putConnection(agent, 'crm', bearer());
    const announcement = sending('Stored.', { taskId: id });
    const answers = await Promise.allSettled([
      client.sendMessage(announcement),
      client.sendMessage(announcement),
    ]);
    await storing;
    await idle();
    for (const answer of answers) {
      // A message that arrives after the end is refused.
      if (answer.status === 'rejected') expect(String(answer.reason)).toContain('over');
    }
    const done = await client.getTask({ id, tenant: '', historyLength: undefined });
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(JSON.stringify(done.artifacts)).toContain('"value":"Hello"');
  });

  test('the task may be canceled instead, and then accepts no message', async () => {
    const agent = await needyAgent();
    const client = await newClient(agent);
    const { id } = asTask(await client.sendMessage(sending('Hello')));
    const canceled = await client.cancelTask({ id, tenant: '', metadata: undefined });
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    const message = { messageId: 'm', role: 'ROLE_USER', taskId: id, parts: [{ text: 'x' }] };
    expect((await refusal(agentUrls(agent).agent, agent.key, 'SendMessage', { message })).code).toBe(-32004);
  });

  test('a connection that one user has stored is missing for another user', async () => {
    const agent = await needyAgent();
    await storeBoth(agent);
    const colleague = await newCaller({ orgid: agent.orgid });
    const client = await officialClient(agentUrls(agent).agent, colleague.key);
    const task = asTask(await client.sendMessage(sending('Hello')));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_AUTH_REQUIRED);
    expect(JSON.stringify(task.status?.message)).not.toContain('The CRM');
  });
});

describe('by trigger', () => {
  test('the synchronous run fails with the names of the connections', async () => {
    const agent = await needyAgent();
    const params = { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' };
    const { text } = await call('triggerFlow', { key: agent.key, params, body: { message: 'Hello' } });
    expect(JSON.parse(text)).toMatchObject({
      status: 'failed',
      response: {},
      error:
        'The flow needs connections that are not stored: crm (The CRM, of the organisation), mail (of the caller).',
    });
  });

  test('a background run pauses, lists the missing connection and resumes once it is stored; an additional resume request changes nothing', async () => {
    const agent = await needyAgent();
    const id = await startedRun(agent);
    await idle();
    expect(await runState(agent, id)).toMatchObject({
      status: 'auth_required',
      requires_input: false,
      error: null,
      needs: {
        configuration_url: expect.stringContaining(`${buildUrl(agent, id)}&token=`),
        connections: [{ connection: 'crm' }, { connection: 'mail' }],
      },
    });
    const { problem } = await resumeRun(agent, id, { answer: 'here it is' });
    expect(problem.errors?.[0]?.pointer).toBe('/body/answer');
    await storeBoth(agent);
    const answers = await Promise.all([1, 2].map(() => resumeRun(agent, id, {})));
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    await idle();
    const state = await runState(agent, id);
    expect(state.status).toBe('completed');
    expect(state).not.toHaveProperty('needs');
    expect(state.logs.filter(({ event }) => event === 'run_completed')).toHaveLength(1);
    expect((await resumeRun(agent, id, {})).body).toEqual(state);
  });
});
