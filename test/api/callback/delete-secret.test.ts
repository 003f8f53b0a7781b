import { expect, test } from 'vitest';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

test('204 when the secrets are deleted, 404 when there are none', async () => {
  const { key, workspaceid } = await newCaller();
  const at = { key, query: { workspaceid } };
  await call('setCallbackSecret', { ...at, body: {} });
  await call('deleteCallbackSecret', at);
  expect((await call('getCallbackSecret', at)).status).toBe(404);
  expect((await call('deleteCallbackSecret', at)).problem.code).toBe('signing_secret_not_found');
});
