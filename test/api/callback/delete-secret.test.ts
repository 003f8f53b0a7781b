import { expect, test } from 'vitest';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

test('204: none is in force any more; 404: there was none', async () => {
  const { key, workspaceid } = await newCaller();
  const at = { key, query: { workspaceid } };
  await call('setCallbackSecret', { ...at, body: {} });
  await call('deleteCallbackSecret', at);
  expect((await call('getCallbackSecret', at)).status).toBe(404);
  expect((await call('deleteCallbackSecret', at)).problem.code).toBe('signing_secret_not_found');
});
