// One member.
import { describe, expect, test } from 'vitest';
import { newCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { newPerson } from '#test/support/person.ts';

test('200: who the member is and what they may do, with an ETag', async () => {
  const { page, id, email, orgid } = await newPerson({ role: 'viewer' });
  const answer = await call('getMember', { headers: page, params: { userid: id } });
  expect(answer.body).toMatchObject({ userid: id, orgid, email, roles: { '*': 'viewer' }, version: 1 });
  const headers = { ...page, 'if-none-match': answer.headers.get('etag') ?? '' };
  expect((await call('getMember', { headers, params: { userid: id } })).status).toBe(304);
});

describe('404', () => {
  test('members of other organisations and of other workspaces look like missing ones', async () => {
    const { id, orgid } = await newPerson({ roles: { [unique('ws')]: 'viewer' } });
    const missing = `user_${'x'.repeat(43)}`;
    for (const { key } of [await newCaller(), await newCaller({ orgid, workspaces: [unique('ws')] })]) {
      const texts = await Promise.all(
        [id, missing].map(async (userid) => {
          const { problem } = await call('getMember', { key, params: { userid } });
          expect(problem.code).toBe('member_not_found');
          return JSON.stringify({ ...problem, instance: '' }).replaceAll(userid, '');
        }),
      );
      expect(texts[0]).toBe(texts[1]);
    }
  });
});
