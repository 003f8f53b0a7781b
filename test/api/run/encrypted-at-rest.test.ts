// What callers send to start or to continue a run stands in no table in plain: a canary goes through every
// entry point, and then both tables are read from end to end.

import { describe, expect, test } from 'vitest';
import { agentUrls, newMessage, readTaskId, rpc } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { resumeRun, runState } from '#test/support/run-calls.ts';
import { deliver, takeDeadLetter, webhookMessage } from '#test/support/runs.ts';
import { findText, readTables } from '#test/support/table-scan.ts';
import { newTrigger } from '#test/support/triggers.ts';

const canary = () => `canary-${crypto.randomUUID()}`;

/** Asks, so that the run is stored with its snapshot, and repeats nothing of its input. */
const silentFlow = () =>
  flow({
    start: 'sure',
    nodes: {
      sure: { type: 'ask', prompt: 'Sure?', next: 'done' },
      done: { type: 'end', output: { ok: true } },
    },
  });
const silent = () => liveAgent({ flow: silentFlow() });
const pathTo = ({ workspaceid, flowid }: TestAgent, trigger_id = flowid) => ({
  workspace_id: workspaceid,
  trigger_id,
  environment: 'live',
});
const sent = (secret: string) => ({
  message: `Hello ${secret}`,
  user_variables: { password: secret, order: { note: [`for ${secret}`] } },
});

interface Canary {
  readonly text: string;
  readonly kind: 'sent' | 'answer';
  /**
   * Configuration, which the API shows (docs/security.md), stands in plain where it is declared, and nowhere
   * else.
   */
  readonly declaredIn?: readonly string[];
}

/**
 * What the tests of this file have sent. Reading the tables takes long, and so the last test reads them for
 * all.
 */
const canaries: (Canary & { readonly entryPoint: string })[] = [];
const toCheck = (entryPoint: string, ...some: readonly Canary[]) =>
  void canaries.push(...some.map((each) => ({ ...each, entryPoint })));

/**
 * The log tells what was answered, without what looks like a secret, and is kept as it is shown
 * (docs/security.md).
 */
const isLog = (place: string) => /^RUN#\S+ E#\d+ logs$/.test(place);

async function answered(agent: TestAgent, id: string, answer: string) {
  await idle();
  expect((await runState(agent, id)).status).toBe('input_required');
  expect((await resumeRun(agent, id, { answer })).status).toBe(202);
  await idle();
  expect(await runState(agent, id)).toMatchObject({ status: 'completed', response: { ok: true } });
}

describe('a caller sends a canary', () => {
  test('to the synchronous trigger, and as an answer', async () => {
    const agent = await silent();
    const [secret, answer] = [canary(), canary()];
    const params = pathTo(agent);
    const { body } = await call('triggerFlow', { key: agent.key, params, body: sent(secret) });
    await answered(agent, body.workflow_id, answer);
    toCheck('triggerFlow', { text: secret, kind: 'sent' }, { text: answer, kind: 'answer' });
  });

  test('to a run in the background, with the address of its callback and an Idempotency-Key', async () => {
    const agent = await silent();
    const [secret, answer, query] = [canary(), canary(), canary()];
    const callback_url = `https://receiver.example/hook?token=${query}`;
    const { body } = await call('startRun', {
      key: agent.key,
      params: pathTo(agent),
      body: { ...sent(secret), callback_url },
      headers: { 'idempotency-key': unique('key') },
    });
    await answered(agent, body.workflow_id, answer);
    toCheck(
      'startRun',
      { text: secret, kind: 'sent' },
      { text: query, kind: 'sent' },
      { text: answer, kind: 'answer' },
    );
  });

  test('to the webhook of a flow and of a declared trigger', async () => {
    const agent = await silent();
    const query = canary();
    const callback_url = `https://receiver.example/hook?token=${query}`;
    const { trigger_id } = await newTrigger(agent, { kind: 'webhook' });
    const withCallback = await newTrigger(agent, { kind: 'webhook', callback_url });
    const secret = canary();
    for (const flow_id of [agent.flowid, trigger_id, withCallback.trigger_id]) {
      const body = { event: 'order.paid', data: { card: secret, password: secret } };
      const { triggerId } = (await call('acceptWebhook', { key: agent.key, params: { flow_id }, body })).body;
      await answered(agent, triggerId, canary());
    }
    const declaredIn = [`TRIGGER#${agent.orgid}#${withCallback.trigger_id} META callback_url`];
    toCheck('acceptWebhook', { text: secret, kind: 'sent' }, { text: query, kind: 'sent', declaredIn });
  });

  test.each([
    ['SendMessage', false],
    ['SendMessage', true],
    ['SendStreamingMessage', false],
  ])(
    'to an agent by %s with returnImmediately: %s, with a file, and as the answer of its task',
    async (method, returnImmediately) => {
      const agent = await silent();
      const secret = canary();
      const message = newMessage(`Hello ${secret}`, {
        metadata: { note: secret },
        parts: [
          { text: `Hello ${secret}` },
          { data: { password: secret } },
          {
            raw: Buffer.from(`file of ${secret}`).toString('base64'),
            filename: 'a.txt',
            mediaType: 'text/plain',
          },
        ],
      });
      const id = await startedTask(agent, method, { message, configuration: { returnImmediately } });
      await idle();
      const answer = canary();
      const followUp = newMessage(answer, { taskId: id });
      await rpc(agentUrls(agent).live, agent.key, 'SendMessage', { message: followUp });
      await idle();
      expect((await runState(agent, id)).status).toBe('completed');
      toCheck(method, { text: secret, kind: 'sent' }, { text: answer, kind: 'answer' });
      // Whoever owns the task still sees it.
      const task = await rpc(agentUrls(agent).live, agent.key, 'GetTask', { id });
      expect(JSON.stringify(task)).toContain(secret);
    },
  );

  test('in an event that becomes a dead letter, whose preview shows its beginning, and which is redriven completely', async () => {
    const agent = await silent();
    const secret = canary();
    const message = webhookMessage(
      { ...agent, flowid: unique('flow') },
      { event: { event: secret, data: {} } },
    );
    await deliver(JSON.stringify(message));
    await idle();
    toCheck('a dead letter', { text: secret, kind: 'sent' });
    const { key, workspaceid } = agent;
    const { items } = (await call('listDeadLetters', { key, query: { workspaceid } })).body;
    expect(items).toMatchObject([
      { workflow_id: message.triggerId, preview: expect.stringContaining(secret) },
    ]);
    const params = { id: message.triggerId };
    const { body } = await call('redriveDeadLetter', { key, params, query: { workspaceid } });
    expect(body.preview).toContain(secret);
    await idle();
    expect((await takeDeadLetter(message.triggerId))?.body).toBe(JSON.stringify(message));
  });

  test('in an event for a run that waits for it, and for one that does not wait yet', async () => {
    const agent = await liveAgent({
      flow: flow({
        start: 'w',
        nodes: {
          w: { type: 'wait', event: 'paid', key: '{{ input.message }}', next: 'done' },
          done: { type: 'end', output: { ok: true } },
        },
      }),
    });
    const { body } = await call('startRun', {
      key: agent.key,
      params: pathTo(agent),
      body: { message: '7' },
    });
    await idle();
    const secret = canary();
    for (const key of ['7', '8'])
      await call('sendRunEvent', {
        key: agent.key,
        query: { workspaceid: agent.workspaceid },
        body: { event: 'paid', key, data: { card: secret }, id: `evt_${secret}` },
      });
    await idle();
    expect(await runState(agent, body.workflow_id)).toMatchObject({ status: 'completed' });
    toCheck('sendRunEvent', { text: secret, kind: 'answer' });
  });

  test('in a run that starts with the input of a schedule or a declared trigger, except in the trigger itself', async () => {
    const agent = await silent();
    const secret = canary();
    const { trigger_id } = await newTrigger(agent, { kind: 'background', ...sent(secret) });
    const { body } = await call('startRun', {
      key: agent.key,
      params: pathTo(agent, trigger_id),
      body: { message: '' },
    });
    await answered(agent, body.workflow_id, canary());
    const trigger = `TRIGGER#${agent.orgid}#${trigger_id} META`;
    const declaredIn = [`${trigger} message`, `${trigger} user_variables`];
    toCheck('a declared trigger', { text: secret, kind: 'sent', declaredIn });
  });
});

test('the tables have no readable canary outside configuration', async () => {
  const tables = await readTables();
  const seen = canaries.map(({ entryPoint, text, kind }) => ({
    entryPoint,
    places: findText(text, tables)
      .filter((place) => kind === 'sent' || !isLog(place))
      .sort(),
  }));
  const allowed = canaries.map(({ entryPoint, declaredIn = [] }) => ({ entryPoint, places: declaredIn }));
  expect(seen).toEqual(allowed);
  expect(new Set(canaries.map(({ entryPoint }) => entryPoint)).size).toBe(8);
});

/** The id of the task, which a stream says first. */
async function startedTask(agent: TestAgent, method: string, params: object): Promise<string> {
  const url = agentUrls(agent).live;
  if (method === 'SendMessage') return readTaskId((await rpc(url, agent.key, method, params)).result);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': agent.key },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const [, first = ''] = /^data: (.+)$/m.exec(await response.text()) ?? [];
  return readTaskId(JSON.parse(first).result);
}
