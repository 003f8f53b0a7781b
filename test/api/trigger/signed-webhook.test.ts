// Events that must be signed (Standard Webhooks), beside the key that sends them.
import { describe, expect, test } from 'vitest';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { signed } from '#test/support/signing.ts';

const state = async (agent: TestAgent, workflow_id: string) =>
  (await call('getRun', { key: agent.key, params: { workspace_id: agent.workspaceid, workflow_id } })).body;

describe('a flow with a signing secret', () => {
  const text = '{ "event": "ticket.closed" }';
  async function signingAgent() {
    const agent = await liveAgent();
    const at = {
      key: agent.key,
      params: { flow_id: agent.flowid },
      query: { workspaceid: agent.workspaceid },
    };
    const { secret = '' } = (await call('setWebhookSecret', { ...at, body: {} })).body;
    const send = (headers: Readonly<Record<string, string>>, body = text) =>
      call('acceptWebhook', { key: agent.key, params: at.params, text: body, headers });
    return { agent, secret, send };
  }

  test('accepts and runs an event that is signed with it', async () => {
    const { agent, secret, send } = await signingAgent();
    const { triggerId } = (await send(signed({ secret, body: text, id: unique('event') }))).body;
    await idle();
    expect((await state(agent, triggerId)).status).toBe('completed');
  });

  test('treats a replayed event as the same one, also under another Idempotency-Key', async () => {
    const { secret, send } = await signingAgent();
    const headers = signed({ secret, body: text, id: unique('event') });
    const first = (await send(headers)).body.triggerId;
    expect((await send(headers)).body.triggerId).toBe(first);
    expect((await send({ ...headers, 'idempotency-key': unique('other') })).body.triggerId).toBe(first);
    await idle();
    expect((await send(headers)).body.triggerId).toBe(first);
  });

  test('answers 422 to a different event that is signed under the same id, once the first has its run', async () => {
    const { secret, send } = await signingAgent();
    const id = unique('event');
    await send({ ...signed({ secret, body: text, id }), 'idempotency-key': unique('other') });
    await idle();
    const body = '{ "event": "ticket.opened" }';
    const { problem } = await send(signed({ secret, body, id }), body);
    expect(problem).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/headers/webhook-id']);
  });

  test.each([
    ['without a signature', {}, {}, 'send webhook-id'],
    ['that was signed six minutes ago', { skewSeconds: -360 }, {}, 'webhook-timestamp'],
    ['that was signed for in six minutes', { skewSeconds: 360 }, {}, 'webhook-timestamp'],
    ['of another body', { body: `${text} ` }, {}, 'None of the signatures'],
    ['under another id', {}, { 'webhook-id': 'other' }, 'None of the signatures'],
    ['with another secret', { secret: `whsec_${'A'.repeat(44)}` }, {}, 'None of the signatures'],
  ])('answers 401 with the reason to an event %s', async (what, signing, headers, detail) => {
    const { secret, send } = await signingAgent();
    const made = signed({ secret, body: text, id: unique('event'), ...signing });
    const { problem } = await send(what === 'without a signature' ? {} : { ...made, ...headers });
    expect(problem).toMatchObject({ status: 401, code: 'signature_invalid' });
    expect(problem.detail).toContain(detail);
    expect(problem.detail).not.toContain(secret);
  });

  test('still requires the API key', async () => {
    const { agent, secret } = await signingAgent();
    const headers = signed({ secret, body: text, id: unique('event') });
    const { problem } = await call('acceptWebhook', { params: { flow_id: agent.flowid }, text, headers });
    expect(problem.code).toBe('unauthenticated');
  });
});
