import { describe, expect, test } from 'vitest';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

describe('200', () => {
  test('shows the times of the valid secrets, and no secret', async () => {
    const { key, workspaceid } = await newCaller();
    const at = { key, query: { workspaceid } };
    const {
      secret: _,
      effective_at: __,
      ...rest
    } = (await call('setCallbackSecret', { ...at, body: {} })).body;
    expect((await call('getCallbackSecret', at)).body).toEqual(rest);
  });
});

describe('404', () => {
  test('a workspace without a secret', async () => {
    const { key, workspaceid } = await newCaller();
    const { problem } = await call('getCallbackSecret', { key, query: { workspaceid } });
    expect(problem.code).toBe('signing_secret_not_found');
  });
});
