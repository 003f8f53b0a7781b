// The flows of events/flows: what holds for all of them, and what the oldest do when things go wrong.
import { describe, expect, test } from 'vitest';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { HttpRequest } from '#lib/flow/ports/http.ts';
import { testFlow } from '#lib/flow/testing/test-flow.ts';
import type { Json } from '#lib/json/json.ts';
import { clock } from '#lib/run/compute/clock.ts';
import { doubts } from './check/faulty-flows.ts';
import { sample, sampleNames, writtenSample } from './sample-flow.ts';
import { emptyInput, httpAnswer, modelAnswer, run, type Script, scripted } from './scripted.ts';

const orders: Readonly<Record<string, Json>> = {
  '1042': { id: '1042', status: 'shipped', expected: '24 November' },
};

const orderApi = ({ url }: HttpRequest) => {
  const order = orders[url.replace('http://127.0.0.1:4010/orders/', '')];
  return order ? httpAnswer(200, order) : httpAnswer(404, { error: 'no such order' });
};

describe.each(sampleNames)('%s', (name) => {
  test('passes the check without a warning, except that it may pause', () => {
    expect(doubts(writtenSample(name))).toEqual([]);
  });

  test('passes the tests that it brings along', async () => {
    const flow = sample(name);
    const { tests, passed } = await testFlow(flow, { clock, timeoutMs: 5_000 });
    expect(passed, JSON.stringify(tests)).toBe(true);
    expect(tests.length).toBeGreaterThan(1);
  });
});

describe('support triage', () => {
  const answer = async (message: string, classified: Json, script: Script = {}) => {
    const recorded = scripted({ model: () => modelAnswer(classified), http: orderApi, ...script });
    const input = { message, user_variables: { customer_name: 'Ada' } };
    return { outcome: await run(sample('support-triage'), recorded, { input }), ...recorded };
  };

  test('answers a question about an order with its status', async () => {
    const { outcome, prompts } = await answer('Where is my order 1042?', {
      kind: 'order_status',
      order_id: '1042',
    });
    expect(outcome).toEqual({
      status: 'completed',
      response: {
        kind: 'order_status',
        answer: 'Hello Ada, your order 1042 is shipped and should reach you on 24 November.',
        order: orders['1042'],
      },
    });
    expect(prompts[0]).toMatchObject({
      model: {},
      messages: [{ role: 'user', content: 'Where is my order 1042?' }],
    });
  });

  test.each([
    ['a refund', { kind: 'refund', order_id: '1042' }, 'sorry that order 1042'],
    [
      'an unknown order',
      { kind: 'order_status', order_id: '9' },
      'could not find an order with the number 9',
    ],
    ['a missing order number', { kind: 'order_status' }, 'write to us again with its number'],
    ['anything else', { kind: 'other' }, 'A colleague reads it'],
  ])('answers %s politely', async (_name, classified, words) => {
    const { outcome } = await answer('…', classified);
    expect(outcome).toMatchObject({
      status: 'completed',
      response: { answer: expect.stringContaining(words) },
    });
  });

  test('an order number cannot reach another path of the order API', async () => {
    const { requests, outcome } = await answer('…', { kind: 'order_status', order_id: '../admin?x=1' });
    expect(requests[0]?.url).toBe('http://127.0.0.1:4010/orders/..%2Fadmin%3Fx%3D1');
    expect(outcome.status).toBe('completed');
  });

  test('a model that leaves the schema fails the run', async () => {
    const { outcome } = await answer('…', { kind: 'poetry' });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'model.invalid_output', node_id: 'classify' },
    });
  });
});

describe('order status', () => {
  const ask = async (order_id: string, statuses: readonly number[]) => {
    const left = [...statuses];
    const http = (request: HttpRequest) => {
      const status = left.shift() ?? 200;
      return status === 200 ? orderApi(request) : httpAnswer(status);
    };
    const recorded = scripted({ http });
    const running = run(sample('order-status'), recorded, {
      input: { message: '', user_variables: { order_id } },
    });
    for (let turn = 0; turn < 20; turn++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      recorded.clock.pass(2_000);
    }
    return { outcome: await running, ...recorded };
  };

  test('tries again after 429 and 503', async () => {
    const { outcome, requests } = await ask('1042', [429, 503]);
    expect(outcome).toMatchObject({ response: { status: 'shipped', answer: 'Order 1042 is on its way.' } });
    expect(requests).toHaveLength(3);
  });

  test('says so when the order system stays away', async () => {
    const { outcome, requests } = await ask('1042', [503, 503, 503]);
    expect(outcome).toMatchObject({ status: 'completed', response: { status: 'unavailable' } });
    expect(requests).toHaveLength(3);
  });

  test('does not try again for an order that is not there', async () => {
    const { outcome, requests } = await ask('7', []);
    expect(outcome).toMatchObject({ status: 'completed', response: { status: 'not_found' } });
    expect(requests).toHaveLength(1);
  });

  test('refuses an order number that is none before anything is sent', async () => {
    const { outcome, requests } = await ask('1042; drop', []);
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'input.invalid' } });
    expect(requests).toEqual([]);
  });
});

describe('webhook summary', () => {
  const event = { event: 'payment.failed', data: { invoice: 'INV-7', amount: 129.5, customer: 'Ada GmbH' } };

  test('replies at once and ends with the summary', async () => {
    const recorded = scripted({ model: () => modelAnswer('Payment of INV-7 failed. Nothing was charged.') });
    const outcome = await run(sample('webhook-summary'), recorded, { input: { ...emptyInput, event } });
    expect(recorded.replies).toEqual([
      { node_id: 'received', text: 'Received the event payment.failed with 3 fields. Summing it up.' },
    ]);
    expect(outcome).toEqual({
      status: 'completed',
      response: { summary: 'Payment of INV-7 failed. Nothing was charged.', event: 'payment.failed' },
    });
  });

  test('names the fields when no model answers', async () => {
    const model = () => Promise.reject(new NodeError('model.unavailable', 'No model answered.'));
    const outcome = await run(sample('webhook-summary'), scripted({ model }), {
      input: { ...emptyInput, event },
    });
    expect(outcome).toMatchObject({
      response: { summary: expect.stringContaining('invoice, amount, customer') },
    });
  });
});
