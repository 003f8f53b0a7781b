import { describe, expect, test } from 'vitest';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

describe('200', () => {
  test('sets a secret of the workspace, separate from those of its flows', async () => {
    const { key, workspaceid } = await newCaller();
    const at = { key, query: { workspaceid } };
    const { body } = await call('setCallbackSecret', { ...at, body: {} });
    expect(body).toEqual({
      workspaceid,
      secrets: [{ created_at: expect.any(String) }],
      effective_at: expect.any(String),
      secret: expect.stringMatching(/^whsec_/),
    });
    const flow = { ...at, params: { flow_id: 'CALLBACK' } };
    expect((await call('getWebhookSecret', flow)).status).toBe(404);
  });

  test('a second secret is added to the first, so that receivers can switch', async () => {
    const { key, workspaceid } = await newCaller();
    const at = { key, query: { workspaceid }, body: {} };
    await call('setCallbackSecret', at);
    expect((await call('setCallbackSecret', at)).body.secrets).toHaveLength(2);
  });
});

describe('409', () => {
  test('of secrets that are set at the same time, each that was returned is valid', async () => {
    const { key, workspaceid } = await newCaller();
    const at = { key, query: { workspaceid } };
    const answers = await Promise.all([1, 2, 3].map(() => call('setCallbackSecret', { ...at, body: {} })));
    const won = answers.filter(({ status }) => status === 200);
    expect((await call('getCallbackSecret', at)).body.secrets).toHaveLength(won.length);
    for (const { problem } of answers.filter(({ status }) => status !== 200))
      expect(problem.code).toBe('version_conflict');
  });
});
