import { expect, test } from 'vitest';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { newPerson } from '#test/support/person.ts';

test('lists the open sessions of the user in all browsers, newest first, and none of others', async () => {
  const one = await newPerson();
  const other = await newPerson({ email: one.email });
  await newPerson({ orgid: one.orgid });
  const { items } = (await call('listSessions', { headers: other.page })).body;
  expect(items.map(({ orgid, is_current }) => [orgid, is_current])).toEqual([
    [other.orgid, true],
    [one.orgid, false],
  ]);
  expect(JSON.stringify(items)).not.toContain((other.page.cookie ?? '').split('=')[1]);
});

test('an API key has none', async () => {
  const { key } = await newCaller();
  expect((await call('listSessions', { key })).body).toEqual({ items: [] });
});
