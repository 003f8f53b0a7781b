// The input of a run has one table of limits, which every entry point enforces: an input that is too large is
// refused at once, with the limit.
import { describe, expect, test } from 'vitest';
import { limits } from '#lib/flow/format/limits.ts';
import { flow } from '#test/support/builders.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { deliver, webhookMessage } from '#test/support/runs.ts';
import { declare, newTrigger, triggerBody } from '#test/support/triggers.ts';

/** Text whose JSON has so many bytes, of two each. */
const newText = (bytes: number) => 'ä'.repeat((bytes - 2) / 2);
/** Variables whose JSON has so many bytes. */
const newVariables = (bytes: number, name = 'x') => ({ [name]: 'x'.repeat(bytes - name.length - 7) });
/** 100 KB as they are sent, 440 KB as they are written again. */
const growing = `{"message":"","user_variables":{"x":[${Array(20_000).fill('1e20').join()}]}}`;

const silent = () => liveAgent({ flow: flow({ nodes: { done: { type: 'end', output: { ok: true } } } }) });

const operations = ['triggerFlow', 'startRun'] as const;
const start = (
  operation: (typeof operations)[number],
  agent: TestAgent,
  sent: { body?: object; text?: string },
) =>
  call(operation, {
    key: agent.key,
    params: { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' },
    ...sent,
  });
const state = async (agent: TestAgent, workflow_id: string) => {
  await idle();
  const params = { workspace_id: agent.workspaceid, workflow_id };
  return (await call('getRun', { key: agent.key, params })).body;
};

describe.each(operations)('%s', (operation) => {
  test('accepts a message and variables of the largest size', async () => {
    const agent = await silent();
    const message = newText(limits.messageBytes);
    const user_variables = newVariables(limits.userVariablesBytes);
    const { workflow_id } = (await start(operation, agent, { body: { message, user_variables } })).body;
    expect(await state(agent, workflow_id)).toMatchObject({ status: 'completed', error: null });
  });

  test('refuses two bytes more, and names both members', async () => {
    const message = newText(limits.messageBytes + 2);
    const user_variables = newVariables(limits.userVariablesBytes + 2);
    const { problem } = await start(operation, await silent(), { body: { message, user_variables } });
    expect(problem).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(problem.errors).toEqual([
      { pointer: '/body/message', detail: `must be at most ${limits.messageBytes} bytes of JSON` },
      {
        pointer: '/body/user_variables',
        detail: `must be at most ${limits.userVariablesBytes} bytes of JSON`,
      },
    ]);
  });

  test('refuses numbers whose normalized form is too large', async () => {
    const { problem } = await start(operation, await silent(), { text: growing });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/body/user_variables']);
  });

  test('counts what a declared trigger adds', async () => {
    const agent = await silent();
    const half = limits.userVariablesBytes / 2 + 100;
    const kind = operation === 'triggerFlow' ? 'api' : 'background';
    const { trigger_id } = await newTrigger(agent, {
      kind,
      user_variables: newVariables(half, 'of_trigger'),
    });
    const body = { message: '', user_variables: newVariables(half, 'of_caller') };
    const { problem } = await start(operation, { ...agent, flowid: trigger_id }, { body });
    expect(problem).toMatchObject({
      status: 400,
      errors: [{ pointer: '/body/user_variables', detail: expect.stringContaining('the trigger adds') }],
    });
  });
});

describe('a declared trigger', () => {
  const kinds = ['api', 'background', 'webhook'];

  test.each(kinds)('of kind %s accepts no more than its runs do', async (kind) => {
    const agent = await silent();
    const user_variables = newVariables(limits.userVariablesBytes + 1);
    const message = newText(limits.messageBytes + 2);
    const { problem } = await declare(agent, triggerBody(agent, { kind, message, user_variables }));
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/body/message', '/body/user_variables']);
  });

  test('with the largest input leaves room for an event, and no more', async () => {
    const agent = await silent();
    const { trigger_id } = await newTrigger(agent, {
      kind: 'webhook',
      message: newText(limits.messageBytes),
      user_variables: newVariables(limits.userVariablesBytes),
    });
    const send = (bytes: number) =>
      call('acceptWebhook', {
        key: agent.key,
        params: { flow_id: trigger_id },
        body: { event: 'x', data: newVariables(bytes) },
      });
    expect(await state(agent, (await send(150_000)).body.triggerId)).toMatchObject({ status: 'completed' });
    expect((await send(160_000)).problem).toMatchObject({
      status: 413,
      detail: expect.stringContaining('beside what its trigger says'),
    });
  });

  test('that grew after it had accepted an event makes the event a dead letter at once, with the reason', async () => {
    const agent = await silent();
    const { trigger_id } = await newTrigger(agent, {
      kind: 'webhook',
      message: newText(limits.messageBytes),
      user_variables: newVariables(limits.userVariablesBytes),
    });
    const event = { event: 'x', data: newVariables(200_000) };
    const message = webhookMessage(agent, { trigger_id, event });
    await deliver(JSON.stringify(message));
    await idle();
    const { workspaceid } = agent;
    const { items } = (await call('listDeadLetters', { key: agent.key, query: { workspaceid } })).body;
    expect(items).toMatchObject([
      { workflow_id: message.triggerId, attempts: 1, reason: expect.stringContaining('350000 bytes') },
    ]);
  });
});
