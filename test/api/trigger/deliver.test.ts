// Declared webhook triggers that deliver their events to runs that wait, in place of starting runs.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { runState, startedRun } from '#test/support/run-calls.ts';
import { declare, newTrigger, triggerBody } from '#test/support/triggers.ts';
import { byGithub, declareWebhook, secretOfTests as secret } from '#test/support/webhook-senders.ts';

const waitingAgent = (event: string) =>
  liveAgent({
    flow: flow({
      start: 'w',
      nodes: {
        w: { type: 'wait', event, key: '{{ input.message }}', next: 'done' },
        done: { type: 'end', output: { got: '{{ nodes.w }}' } },
      },
    }),
  });
async function waiting(agent: TestAgent) {
  const key = unique('order');
  const id = await startedRun(agent, key);
  await idle();
  return { id, key };
}
const deliver = { event: 'review.done', key: '{{ input.event.data.body.pull_request.title }}' };
const reviewed = (title: string) => ({ action: 'closed', pull_request: { title } });
const listRuns = async ({ key, workspaceid }: TestAgent) =>
  (await call('listRuns', { key, query: { workspaceid } })).body.items;

describe('a trigger that delivers', () => {
  test('gives the event of a source to the run that waits for it, once, and starts none', async () => {
    const agent = await waitingAgent('review.done');
    const webhook = await declareWebhook(agent, { type: 'github' }, { deliver });
    const { id, key } = await waiting(agent);
    const sent = byGithub(secret, reviewed(key));
    const [{ body }, again] = await Promise.all([webhook.send(sent), webhook.send(sent)]);
    expect(again.body).toEqual(body);
    await idle();
    await webhook.send(sent);
    await idle();
    expect(await runState(agent, id)).toMatchObject({
      status: 'completed',
      response: {
        got: {
          event: 'review.done',
          key,
          id: body.triggerId,
          data: { source: 'github', body: reviewed(key), headers: { 'x-github-event': 'push' } },
        },
      },
    });
    expect(await listRuns(agent)).toHaveLength(1);
  });

  test('gives the event of an API key, by default under its own name', async () => {
    const agent = await waitingAgent('ticket.closed');
    const { trigger_id } = await newTrigger(agent, {
      kind: 'webhook',
      deliver: { key: 'ticket {{ input.event.data.ticket }}' },
    });
    const id = await startedRun(agent, 'ticket 7');
    await idle();
    const { status } = await call('acceptWebhook', {
      key: agent.key,
      params: { flow_id: trigger_id },
      body: { event: 'ticket.closed', data: { ticket: 7 } },
    });
    expect(status).toBe(202);
    await idle();
    expect(await runState(agent, id)).toMatchObject({ response: { got: { data: { ticket: 7 } } } });
  });

  test('delivers to its environment alone', async () => {
    const agent = await waitingAgent('ticket.closed');
    const { trigger_id } = await newTrigger(agent, {
      kind: 'webhook',
      environment: 'test',
      deliver: { key: '{{ input.event.data.ticket }}' },
    });
    const { id, key } = await waiting(agent);
    const body = { event: 'ticket.closed', data: { ticket: key } };
    await call('acceptWebhook', { key: agent.key, params: { flow_id: trigger_id }, body });
    await idle();
    expect((await runState(agent, id)).status).toBe('pending');
  });

  test('gives the body of another system as the data, named by its `type`', async () => {
    const agent = await waitingAgent('invoice.paid');
    const { trigger_id } = await newTrigger(agent, {
      kind: 'webhook',
      deliver: { key: '{{ input.event.order.id }}' },
    });
    const { id, key } = await waiting(agent);
    const body = { type: 'invoice.paid', order: { id: key } };
    await call('acceptWebhook', { key: agent.key, params: { flow_id: trigger_id }, body });
    await idle();
    expect((await runState(agent, id)).response).toMatchObject({ got: { data: body } });
  });

  test('an event without a key is a dead letter that says why', async () => {
    const agent = await waitingAgent('review.done');
    const webhook = await declareWebhook(agent, { type: 'github' }, { deliver });
    const { body } = await webhook.send(byGithub(secret, { zen: randomUUID() }));
    await idle();
    await expect
      .poll(async () => {
        const { items } = (
          await call('listDeadLetters', { key: agent.key, query: { workspaceid: agent.workspaceid } })
        ).body;
        return items.map(({ workflow_id, reason }) => [workflow_id, reason]);
      })
      .toEqual([[body.triggerId, expect.stringContaining('The event has no key')]]);
  });

  test('is declared, shown and replaced with what it delivers', async () => {
    const agent = await waitingAgent('review.done');
    const trigger = await newTrigger(agent, { kind: 'webhook', deliver });
    expect(trigger.deliver).toEqual(deliver);
    const params = { trigger_id: trigger.trigger_id };
    const body = { flowid: agent.flowid, deliver: { key: 'all' } };
    await call('updateTrigger', { key: agent.key, params, body });
    expect((await call('getTrigger', { key: agent.key, params })).body.deliver).toEqual({ key: 'all' });
  });

  test.each([
    ['of another kind', { kind: 'background', deliver }, '/body/deliver'],
    ['with a message', { kind: 'webhook', deliver, message: 'Hi' }, '/body/message'],
    ['with variables', { kind: 'webhook', deliver, user_variables: { a: 1 } }, '/body/user_variables'],
    [
      'with a callback',
      { kind: 'webhook', deliver, callback_url: 'https://x.example/' },
      '/body/callback_url',
    ],
    ['with a broken expression', { kind: 'webhook', deliver: { key: '{{ 1 + }}' } }, '/body/deliver/key'],
    ['with an open expression', { kind: 'webhook', deliver: { key: '{{ a' } }, '/body/deliver/key'],
    [
      'with a name that none has',
      { kind: 'webhook', deliver: { ...deliver, event: 'a b' } },
      '/body/deliver/event',
    ],
  ])('is refused: %s', async (_name, some, pointer) => {
    const agent = await liveAgent();
    const { status, problem } = await declare(agent, triggerBody(agent, some));
    expect([status, problem]).toMatchObject([400, { errors: [{ pointer }] }]);
  });

  test.each([
    ['nodes.x', 'unknown name "nodes": expected input'],
    ['inptu.event', 'unknown name "inptu": did you mean "input"?'],
    ['input.message', 'unknown name "input.message": expected input.event'],
    ['input.event.body.id', 'unknown name "input.event.body": expected input.event.event, input.event.data'],
    ['$strng(input.event.data.id)', 'unknown name "$strng": did you mean "$string"?'],
    ['input.event.data.ids[0] & state.x', 'unknown name "state": expected input'],
  ])('is refused if its key reads what an event does not have: %s', async (expression, detail) => {
    const agent = await liveAgent();
    const some = {
      kind: 'webhook',
      source: { type: 'github' },
      deliver: { key: `order {{ ${expression} }}` },
    };
    const { status, problem } = await declare(agent, triggerBody(agent, some));
    expect([status, problem]).toMatchObject([
      400,
      { errors: [{ pointer: '/body/deliver/key', detail: expect.stringContaining(detail) }] },
    ]);
  });
});
