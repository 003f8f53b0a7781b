// Integers that a number would round stay exact, as text, from where they come in to where a flow sees them.
import { describe, expect, test } from 'vitest';
import { agentUrls } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { call } from '#test/support/client.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent } from '#test/support/flows.ts';
import {
  hmacHex,
  newWebhook,
  outputOf,
  type SentWebhook,
  secretOfTests as secret,
} from '#test/support/webhook-senders.ts';

const big = '820982911946154508';
const other = '820982911946154509';
const shown = { big, list: [1.5, `-${big}`], small: 9_007_199_254_740_991, even: 9_007_199_254_740_992 };
const written = `{"big":${big},"list":[1.5,-${big}],"small":9007199254740991,"even":9007199254740992}`;
const echoing = flow({ nodes: { done: { type: 'end', output: { input: '{{ input }}' } } } });

describe('webhooks', () => {
  const signed = (text: string): SentWebhook => ({ text, headers: { 'x-sig': hmacHex(secret, text) } });

  test('events whose ids differ in their last digits only are two events, whose runs get the ids as they are', async () => {
    const webhook = await newWebhook({ type: 'hmac', header: 'x-sig', id_field: 'id' });
    const [one, two] = [
      await webhook.send(signed(`{"id":${big}}`)),
      await webhook.send(signed(`{"id":${other}}`)),
    ];
    const again = await webhook.send(signed(`{"id": ${big}}`));
    expect(again.body.triggerId).toBe(one.body.triggerId);
    await idle();
    for (const [{ body }, id] of [
      [one, big],
      [two, other],
    ] as const)
      expect(await outputOf(webhook, body.triggerId)).toMatchObject({ data: { id, body: { id } } });
  });

  test('the body of an event has every digit, also inside the payload of a form', async () => {
    const webhook = await newWebhook({ type: 'github' });
    const form = new URLSearchParams({ payload: written }).toString();
    const sign = (text: string, type: string) => ({
      text,
      headers: {
        'content-type': type,
        'x-github-event': 'push',
        'x-hub-signature-256': `sha256=${hmacHex(secret, text)}`,
      },
    });
    const json = await webhook.send(sign(written, 'application/json'));
    const payload = await webhook.send(sign(form, 'application/x-www-form-urlencoded'));
    await idle();
    for (const { body } of [json, payload])
      expect(await outputOf(webhook, body.triggerId)).toMatchObject({ data: { body: shown } });
  });
});

describe('requests', () => {
  test('user_variables of a trigger have every digit', async () => {
    const { key, workspaceid, flowid } = await liveAgent({ flow: echoing });
    const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
    const text = `{"message":"","user_variables":${written}}`;
    const { body } = await call('triggerFlow', { key, params, text });
    expect(body.response.input).toMatchObject({ user_variables: shown });
  });

  test('the event of a webhook has every digit', async () => {
    const { key, workspaceid, flowid } = await liveAgent({ flow: echoing });
    const text = `{"event":"paid","data":${written}}`;
    const { body } = await call('acceptWebhook', { key, params: { flow_id: flowid }, text });
    await idle();
    const run = { workspace_id: workspaceid, workflow_id: body.triggerId };
    const { body: ended } = await call('getRun', { key, params: run });
    expect(ended.response.input).toMatchObject({ event: { event: 'paid', data: shown } });
  });

  test('data parts of A2A messages have every digit', async () => {
    const agent = await liveAgent({ flow: echoing });
    const message = `{"messageId":"m","role":"ROLE_USER","parts":[{"data":${written}}]}`;
    const response = await fetch(agentUrls(agent).live, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': agent.key },
      body: `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":${message}}}`,
    });
    const { result } = JSON.parse(await response.text());
    expect(result.task.artifacts[0].parts[0].data.input.a2a.message.parts[0].data).toEqual(shown);
  });

  test('a member that must be a number, or at most 1.8e308, is refused by its name', async () => {
    const { key, workspaceid, flowid } = await liveAgent({ flow: echoing });
    const params = { workspace_id: workspaceid, trigger_id: flowid, environment: 'live' };
    const text = `{"message":${big},"user_variables":{"a":1e400}}`;
    const infinite = await call('triggerFlow', { key, params, text });
    expect(infinite.problem.errors).toMatchObject([{ pointer: '/body/user_variables/a' }]);
    const setting = await call('setWebhookSecret', {
      key,
      params: { flow_id: flowid },
      query: { workspaceid },
      text: `{"keep_former_hours":${big}}`,
    });
    expect(setting.problem.errors).toMatchObject([
      { pointer: '/body/keep_former_hours', detail: expect.stringContaining('must be') },
    ]);
  });
});
