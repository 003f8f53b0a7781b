// The addresses of declared triggers with a source: who sees them, when they change, and what declares them.
import { describe, expect, test } from 'vitest';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { signed } from '#test/support/signing.ts';
import { declare, newTrigger, triggerBody } from '#test/support/triggers.ts';
import { byGithub, declareWebhook, secretOfTests, sendTo } from '#test/support/webhook-senders.ts';

const github = { type: 'github' };
const hmac = { type: 'hmac', header: 'X-Signature' };
const idOf = (url: string | undefined) => url?.split('/').at(-1) ?? '';
const replace = async (agent: TestAgent, trigger_id: string, some: object) =>
  await call('updateTrigger', {
    key: agent.key,
    params: { trigger_id },
    body: { flowid: agent.flowid, ...some },
  });

describe('the address', () => {
  test('has 128 random bits below the URL of the service, and is the same in each answer', async () => {
    const agent = await liveAgent();
    const made = await newTrigger(agent, { kind: 'webhook', source: github });
    expect(made.webhook_url).toMatch(/^https?:\/\/[^/]+(\/main)?\/public\/webhooks\/[\w-]{22}$/);
    const { key, workspaceid } = agent;
    const got = await call('getTrigger', { key, params: { trigger_id: made.trigger_id } });
    expect(got.body).toEqual(made);
    const { items } = (await call('listTriggers', { key, query: { workspaceid } })).body;
    expect(items).toEqual([made]);
  });

  test('is not shown to a caller who may not set secrets', async () => {
    const { trigger_id, orgid } = await newTrigger(await liveAgent(), { kind: 'webhook', source: github });
    const { key } = await newCaller({ orgid, scopes: ['assistants.flows:read'] });
    const { text, body } = await call('getTrigger', { key, params: { trigger_id } });
    expect(body.source).toEqual(github);
    expect(text).not.toContain('/public/webhooks/');
  });

  test('stays when the trigger is replaced, and a new one is given on request: the former is refused', async () => {
    const agent = await liveAgent();
    const { trigger_id, webhookId } = await declareWebhook(agent, github);
    const same = await replace(agent, trigger_id, { source: { ...github, events: ['push'] } });
    expect(idOf(same.body.webhook_url)).toBe(webhookId);
    const other = await replace(agent, trigger_id, { source: github, new_address: true });
    const sent = byGithub(secretOfTests, {});
    expect((await sendTo(idOf(other.body.webhook_url), sent)).status).toBe(202);
    expect((await sendTo(webhookId, sent)).status).toBe(401);
  });

  test('ends with the source, and with the trigger', async () => {
    const agent = await liveAgent();
    const [one, other] = [await declareWebhook(agent, github), await declareWebhook(agent, github)];
    expect((await replace(agent, one.trigger_id, {})).body).not.toHaveProperty('webhook_url');
    await call('deleteTrigger', { key: agent.key, params: { trigger_id: other.trigger_id } });
    for (const { send } of [one, other]) expect((await send(byGithub(secretOfTests, {}))).status).toBe(401);
  });

  test('is the only one of its trigger: events that come with an API key are refused', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await declareWebhook(agent, github);
    const text = '{"event":"push"}';
    const headers = signed({ secret: secretOfTests, body: text, id: 'e' });
    const { problem } = await call('acceptWebhook', {
      key: agent.key,
      params: { flow_id: trigger_id },
      text,
      headers,
    });
    expect(problem.code).toBe('trigger_kind_mismatch');
  });
});

describe('a source', () => {
  test('is returned with its defaults', async () => {
    const { source } = await newTrigger(await liveAgent(), { kind: 'webhook', source: hmac });
    expect(source).toEqual({
      ...hmac,
      algorithm: 'sha256',
      encoding: 'hex',
      prefix: '',
      tolerance_seconds: 300,
      signed: '{body}',
    });
  });

  test.each([
    [{ type: 'gitlab' }, '/body/source/type'],
    [{ ...github, events: [] }, '/body/source/events'],
    [{ ...hmac, header: 'X Signature' }, '/body/source/header'],
    [{ ...hmac, algorithm: 'md5' }, '/body/source/algorithm'],
    [{ ...hmac, signed: 'fixed' }, '/body/source/signed'],
    [{ ...hmac, signed: '{body}{body}' }, '/body/source/signed'],
    [{ ...hmac, signed: '{timestamp}.{body}' }, '/body/source/signed'],
    [{ ...hmac, timestamp_header: 'X-Time' }, '/body/source/signed'],
    [{ ...hmac, signed: '{id}.{body}' }, '/body/source/signed'],
    [{ ...hmac, id_field: 'a..b' }, '/body/source/id_field'],
    [{ ...hmac, tolerance_seconds: 3_601 }, '/body/source/tolerance_seconds'],
  ])('such as %j is refused with a pointer to the mistake', async (source, pointer) => {
    const agent = await liveAgent();
    const { problem } = await declare(agent, triggerBody(agent, { kind: 'webhook', source }));
    expect(problem.errors?.map((each) => each.pointer)).toEqual([pointer]);
  });

  test('is for webhooks only', async () => {
    const agent = await liveAgent();
    const { problem } = await declare(agent, triggerBody(agent, { kind: 'api', source: github }));
    expect(problem.errors).toMatchObject([
      { pointer: '/body/source', detail: 'is only for triggers of kind webhook' },
    ]);
  });

  test('needs the permission to run flows, since its events start runs as the key that wrote the trigger', async () => {
    const agent = await liveAgent();
    const { key } = await newCaller({ orgid: agent.orgid, scopes: ['assistants.flows:create'] });
    const body = triggerBody(agent, { kind: 'webhook', source: github });
    const { problem } = await declare({ ...agent, key }, body);
    expect(problem).toMatchObject({ status: 403, code: 'permission_denied' });
  });
});
