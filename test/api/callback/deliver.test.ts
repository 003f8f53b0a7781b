// Completion callbacks, from the run to a receiver that checks signatures.
import { createServer } from 'node:http';
import type { Context, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { handler } from '#functions/callback/deliver.ts';
import { requireEnv } from '#lib/env.ts';
import { newRunId } from '#lib/ids.ts';
import { closeServer, listen } from '#lib/local/listen.ts';
import { enqueueCallbackCheck } from '#lib/run/callback-queue.ts';
import { appendEvent, insertRun, readRun } from '#lib/run/run-items.ts';
import type { StoredRun } from '#lib/run/stored-run.ts';
import {
  cancel,
  listDeliveries,
  newCallbackSecret,
  settled,
  startWithCallback,
} from '#test/support/callbacks.ts';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { flushDelayedMessages, idle } from '#test/support/control.ts';
import { callingFlow, failingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { context } from '#test/support/invocation.ts';
import { isSigned, type Receiver, startReceiver } from '#test/support/receiver.ts';
import { batch } from '#test/support/runs.ts';
import { run as storedRun } from '#test/support/stored-run.ts';
import { newTrigger } from '#test/support/triggers.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';

let receiver: Receiver;
let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());
beforeEach(async () => {
  receiver = await startReceiver();
  return () => receiver.close();
});

async function withSecret(some?: Parameters<typeof liveAgent>[0]) {
  const agent = await liveAgent(some);
  return { agent, secret: await newCallbackSecret(agent) };
}

async function startedBy({ key, workspaceid }: TestAgent, trigger_id: string, more: object = {}) {
  const params = { workspace_id: workspaceid, trigger_id, environment: 'live' };
  const { body } = await call('startRun', { key, params, body: { message: 'Hello', ...more } });
  return String(body.workflow_id);
}

async function acceptedBy({ key }: TestAgent, flow_id: string) {
  const { body } = await call('acceptWebhook', { key, params: { flow_id }, body: { event: 'order.paid' } });
  return String(body.triggerId);
}

describe('a run that has ended', () => {
  test.each([
    ['a start in the background', 'background', (agent: TestAgent, id: string) => startedBy(agent, id)],
    ['an event', 'webhook', (agent: TestAgent, id: string) => acceptedBy(agent, id)],
  ])('is reported to the receiver of the trigger of %s', async (_, kind, start) => {
    const { agent } = await withSecret();
    const { trigger_id } = await newTrigger(agent, { kind, callback_url: receiver.url });
    const run_id = await start(agent, trigger_id);
    await idle();
    await settled(agent, { run_id });
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([run_id]);
  });

  test('is reported to the receiver of the request instead of that of the trigger', async () => {
    const { agent } = await withSecret();
    const { trigger_id } = await newTrigger(agent, {
      kind: 'background',
      callback_url: 'https://nobody.example/hook',
    });
    const run_id = await startedBy(agent, trigger_id, { callback_url: receiver.url });
    await idle();
    await settled(agent, { run_id });
    expect(receiver.received).toHaveLength(1);
  });

  test('is reported once, signed, with its result', async () => {
    const { agent, secret } = await withSecret();
    const run = await startWithCallback(agent, receiver.url);
    const { state, attempts } = await settled(agent, run);
    await flushDelayedMessages();
    expect([state, attempts.map(({ status }) => status)]).toEqual(['delivered', [204]]);
    expect(receiver.received).toHaveLength(1);
    const [heard] = receiver.received;
    expect(heard && isSigned(heard, secret)).toBe(true);
    expect(heard?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': run.run_id,
    });
    expect(heard?.content).toMatchObject({
      type: 'run.completed',
      data: { workflow_id: run.run_id, status: 'completed', response: { said: 'Hello' }, error: null },
    });
  });

  test('is reported as failed or canceled if it has failed or was canceled', async () => {
    const { agent } = await withSecret({ flow: failingFlow() });
    await settled(agent, await startWithCallback(agent, receiver.url));
    const gate = unique('gate');
    const slow = await withSecret({ flow: callingFlow(upstream, [`gate/${gate}`]) });
    const run = await startWithCallback(slow.agent, receiver.url);
    await upstream.arrived(gate);
    await cancel(run);
    upstream.open(gate);
    await settled(slow.agent, run);
    expect(receiver.received.map(({ content }) => content.type)).toEqual(['run.failed', 'run.canceled']);
  });

  test('is not reported before it has ended, however often its status is read', async () => {
    const gate = unique('gate');
    const { agent } = await withSecret({ flow: callingFlow(upstream, [`gate/${gate}`]) });
    const run = await startWithCallback(agent, receiver.url);
    await upstream.arrived(gate);
    const looking = flushDelayedMessages();
    expect(await listDeliveries(agent, run)).toMatchObject({ state: 'waiting', attempts: [] });
    upstream.open(gate);
    await looking;
    await settled(agent, run);
    expect(receiver.received).toHaveLength(1);
  });

  test('is signed with each valid secret during a rotation', async () => {
    const { agent, secret } = await withSecret();
    const second = await newCallbackSecret(agent);
    await settled(agent, await startWithCallback(agent, receiver.url));
    const [heard] = receiver.received;
    expect([secret, second].map((each) => heard && isSigned(heard, each))).toEqual([true, true]);
  });
});

describe('a receiver', () => {
  test('that fails gets another attempt, with the same id, until it responds 2xx', async () => {
    const { agent } = await withSecret();
    receiver.answers.push(500, 429, 302);
    const { state, attempts } = await settled(agent, await startWithCallback(agent, receiver.url));
    expect(state).toBe('delivered');
    expect(attempts.map(({ status }) => status)).toEqual([500, 429, 302, 204]);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  // Ten hours in more than forty delays, each of which is some work for the queue.
  test('that never responds 2xx gets eight attempts', async () => {
    const { agent } = await withSecret();
    receiver.answers.push(...Array(20).fill(503));
    const { state, attempts } = await settled(agent, await startWithCallback(agent, receiver.url));
    expect(state).toBe('given_up');
    expect(attempts).toHaveLength(8);
    await flushDelayedMessages();
    expect(receiver.received).toHaveLength(8);
  });

  test('that responds 410 gets no more attempts', async () => {
    const { agent } = await withSecret();
    receiver.answers.push(500, 410);
    const { state, attempts } = await settled(agent, await startWithCallback(agent, receiver.url));
    expect([state, attempts.map(({ status }) => status)]).toEqual(['given_up', [500, 410]]);
  });

  test.each([
    ['at a private address', 'https://10.0.0.1/hook', 'egress.private_address'],
    ['at the address of instance metadata', 'https://169.254.169.254/hook', 'egress.private_address'],
    ['without TLS', 'http://receiver.example/hook', 'egress.scheme'],
  ])(
    '%s gets no request, the delivery has the reason, and there is no other attempt',
    async (_, url, error) => {
      const { agent } = await withSecret();
      const run = await startWithCallback(agent, url);
      await idle();
      const { state, attempts } = await listDeliveries(agent, run);
      expect([state, attempts]).toMatchObject(['given_up', [{ error }]]);
      expect(attempts[0]).not.toHaveProperty('status');
    },
  );

  test('that closes the connection counts as a failed attempt', async () => {
    const { agent } = await withSecret();
    const closingServer = createServer((request) => void request.socket.destroy());
    const run = await startWithCallback(agent, await listen(closingServer, 0));
    await idle();
    expect((await listDeliveries(agent, run)).attempts).toMatchObject([{ error: 'network' }]);
    await closeServer(closingServer);
  });
});

test('no callback is sent unsigned: without a secret it waits for one', async () => {
  const agent = await liveAgent();
  const run = await startWithCallback(agent, receiver.url);
  await idle();
  expect((await listDeliveries(agent, run)).attempts).toMatchObject([{ error: 'no_secret' }]);
  const secret = await newCallbackSecret(agent);
  expect((await settled(agent, run)).state).toBe('delivered');
  expect(receiver.received.map((heard) => isSigned(heard, secret))).toEqual([true]);
});

describe('no callback is lost', () => {
  /** A run whose worker died: after its end, or without one. */
  async function orphan(agent: TestAgent, some: Partial<StoredRun>): Promise<StoredRun> {
    const { orgid, workspaceid, flowid, a2aregistryid } = agent;
    const run = storedRun({
      ...{ run_id: newRunId(), orgid, workspaceid, flowid, a2aregistryid, callback_url: receiver.url },
      ...{ mode: 'queued', deadline: Date.now() + 60_000, ttl: Math.floor(Date.now() / 1_000) + 600 },
      ...some,
    });
    await enqueueCallbackCheck(run);
    await insertRun(run);
    return run;
  }

  test('when the worker dies between the end of the run and the message that reports it', async () => {
    const { agent } = await withSecret();
    const run = await orphan(agent, { status: 'working', generation: 1 });
    const event = { generation: 2, at: new Date().toISOString(), status: 'failed', error: 'Done.' } as const;
    expect(await appendEvent({ run, event })).toBe(true);
    await settled(agent, run);
    expect(receiver.received.map(({ content }) => content.type)).toEqual(['run.failed']);
  });

  test('when no process ends the run: it fails at its deadline', async () => {
    const { agent } = await withSecret();
    const run = await orphan(agent, { deadline: Date.now() - 60_000, lease_until: 0 });
    await settled(agent, run);
    expect(receiver.received[0]?.content).toMatchObject({ type: 'run.failed', data: { status: 'failed' } });
  });

  test('when the queue accepts no message: the run is not started', async () => {
    const { agent } = await withSecret();
    const before = requireEnv('DELIVERY_QUEUE_URL');
    process.env.DELIVERY_QUEUE_URL = 'http://127.0.0.1:9/000000000000/deliveries';
    await expect(startWithCallback(agent, receiver.url)).rejects.toThrow();
    process.env.DELIVERY_QUEUE_URL = before;
    await flushDelayedMessages();
    expect(receiver.received).toEqual([]);
  });
});

describe('a message of the queue', () => {
  const sqsEvent = z.custom<SQSEvent>();
  const here = z.custom<Context>().parse(context);
  const handle = async (message: object) =>
    await handler(sqsEvent.parse(batch([JSON.stringify(message)])), here);
  const messageOf = ({ run_id, orgid }: StoredRun, attempt: number) => ({
    kind: 'callback',
    run_id,
    orgid,
    attempt,
    wait_seconds: 0,
  });

  test('that is delivered again after its attempt makes no other attempt', async () => {
    const { agent } = await withSecret();
    receiver.answers.push(500);
    const run = await startWithCallback(agent, receiver.url);
    await idle();
    await handle(messageOf(run, 0));
    expect(receiver.received).toHaveLength(1);
    await settled(agent, run);
    await handle(messageOf(run, 1));
    await handle(messageOf(run, 7));
    expect(receiver.received).toHaveLength(2);
  });

  test('that is delivered several times at once makes one attempt', async () => {
    const { agent } = await withSecret();
    receiver.answers.push(500);
    const run = await startWithCallback(agent, receiver.url);
    await idle();
    receiver.answers.push(500);
    await Promise.all([1, 2, 3].map(() => handle(messageOf(run, 1))));
    expect([receiver.received.length, (await listDeliveries(agent, run)).attempts.length]).toEqual([2, 2]);
    const { state, attempts } = await settled(agent, run);
    expect([state, attempts.length]).toEqual(['delivered', 3]);
  });

  test('of a run that does not exist is deleted; a malformed one is delivered again', async () => {
    const run = storedRun({ run_id: newRunId() });
    expect(await handle(messageOf(run, 0))).toEqual({ batchItemFailures: [] });
    expect(await readRun(run.run_id)).toBeUndefined();
    expect((await handle({ kind: 'other' })).batchItemFailures).toHaveLength(1);
  });
});
