// The secrets of declared triggers with a source, which have the form that the sender gives them.
import { describe, expect, test } from 'vitest';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { inEffectWithin } from '#test/support/takes-effect.ts';
import { newTrigger } from '#test/support/triggers.ts';
import { byGithub, declareWebhook, setSourceSecret } from '#test/support/webhook-senders.ts';

const source = { type: 'github' };
const at = ({ key, workspaceid }: TestAgent, flow_id: string) => ({
  key,
  params: { flow_id },
  query: { workspaceid },
});
const operations = ['setWebhookSecret', 'getWebhookSecret', 'deleteWebhookSecret'] as const;
const perform = async (operation: (typeof operations)[number], agent: TestAgent, id: string) =>
  await call(operation, {
    ...at(agent, id),
    ...(operation === 'setWebhookSecret' && { body: { secret: 'sixteen letters.' } }),
  });

describe('200', () => {
  test('a secret of any form is used, never shown, and replaced like others', async () => {
    const agent = await liveAgent();
    const { trigger_id, send } = await declareWebhook(agent, source);
    const first = await setSourceSecret(agent, trigger_id, { secret: "It's a Secret to Everybody" });
    expect(first.body).toEqual({
      workspaceid: agent.workspaceid,
      trigger_id,
      secrets: [{ created_at: expect.any(String) }, expect.anything()],
      effective_at: expect.any(String),
    });
    await setSourceSecret(agent, trigger_id, { secret: 'the next secret of it' });
    const statuses = ["It's a Secret to Everybody", 'the next secret of it', 'the last secret of it'].map(
      async (secret) => (await send(byGithub(secret, {}))).status,
    );
    expect(await Promise.all(statuses)).toEqual([202, 202, 401]);
    expect((await call('getWebhookSecret', at(agent, trigger_id))).text).not.toContain('Secret to');
    await setSourceSecret(agent, trigger_id, { secret: 'the last secret of it', keep_former_hours: 0 });
    await inEffectWithin(10);
    expect((await send(byGithub('the next secret of it', {}))).status).toBe(401);
    expect((await send(byGithub('the last secret of it', {}))).status).toBe(202);
  });

  test('a secret that the service makes is used as a text', async () => {
    const agent = await liveAgent();
    const { trigger_id, send } = await declareWebhook(agent, source);
    const { secret = '' } = (await setSourceSecret(agent, trigger_id, {})).body;
    expect(secret).toMatch(/^whsec_/);
    expect((await send(byGithub(secret, {}))).status).toBe(202);
  });

  test('a trigger that takes the id of a deleted one has no secret', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await declareWebhook(agent, source);
    await call('deleteTrigger', { key: agent.key, params: { trigger_id } });
    await newTrigger(agent, { trigger_id, kind: 'webhook', source });
    const { problem } = await call('getWebhookSecret', at(agent, trigger_id));
    expect(problem.code).toBe('signing_secret_not_found');
  });
});

describe('400', () => {
  test.each(['too short', 'x'.repeat(513), `new\nline ${'x'.repeat(16)}`])(
    'a secret such as %j',
    async (secret) => {
      const agent = await liveAgent();
      const { trigger_id } = await declareWebhook(agent, source);
      const { problem } = await setSourceSecret(agent, trigger_id, { secret });
      expect(problem.errors).toMatchObject([{ pointer: '/body/secret' }]);
      expect(JSON.stringify(problem)).not.toContain('xxxx');
    },
  );
});

describe.each(operations)('%s', (operation) => {
  test('404 trigger_not_found: one of another organisation, of another workspace, and none', async () => {
    const [own, other] = [await liveAgent(), await liveAgent()];
    const foreign = await declareWebhook(other, source);
    const elsewhere = await declareWebhook({ ...own, workspaceid: own.workspaceid }, source);
    const inOther = { ...own, workspaceid: unique('ws') };
    const answers = [
      await perform(operation, own, foreign.trigger_id),
      await perform(operation, own, unique('trg')),
      await perform(operation, inOther, elsewhere.trigger_id),
    ];
    expect(answers.map(({ problem: { code } }) => code)).toEqual(Array(3).fill('trigger_not_found'));
  });

  test('409 trigger_kind_mismatch: a trigger without a source', async () => {
    const agent = await liveAgent();
    const { trigger_id } = await newTrigger(agent, { kind: 'webhook' });
    const { problem } = await perform(operation, agent, trigger_id);
    expect(problem).toMatchObject({ status: 409, code: 'trigger_kind_mismatch' });
  });
});
