// How long an access token stays good after what it depends on has changed. The handler runs in this process, with a
// clock that the test sets.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { handler } from '#functions/session/me.ts';
import { grantItemKey } from '#lib/access/grant-items.ts';
import { memberItemKey } from '#lib/access/member-items.ts';
import { controlTable } from '#lib/dynamo/client.ts';
import { mustExist } from '#lib/dynamo/conditions.ts';
import { deleteItemIf, updateItem } from '#lib/dynamo/items.ts';
import { eventFor, lambdaContext } from '#test/support/events.ts';
import { newPerson, type Person } from '#test/support/person.ts';
import { newClaims, signClaims } from '#test/support/tokens.ts';

let person: Person;
let claims: Awaited<ReturnType<typeof newClaims>>;
let key: string;
beforeEach(async () => {
  person = await newPerson();
  claims = await newClaims(person, { scopes: ['assistants.flows:read', 'audit:read'] });
  key = await signClaims(claims);
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => void vi.useRealTimers());

const ask = async () => await handler(eventFor('getMe', { key }), lambdaContext());
const status = async () => (await ask()).statusCode;
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1_000);
const memberKey = () => memberItemKey({ userid: person.id, orgid: person.orgid });

describe('within a minute in a process that has just accepted it, a token is refused', () => {
  test.each<[string, () => Promise<unknown>]>([
    [
      'whose grant was deleted',
      async () => await deleteItemIf(controlTable, grantItemKey(String(claims.grant)), mustExist),
    ],
    ['whose user was removed', async () => await deleteItemIf(controlTable, memberKey(), mustExist)],
  ])('%s', async (_what, end) => {
    expect(await status()).toBe(200);
    await end();
    pass(44);
    expect(await status()).toBe(200);
    pass(2);
    expect(await status()).toBe(401);
  });
});

test('within a minute a token may do no more than the new role of its user', async () => {
  const permissions = async () => JSON.parse(String((await ask()).body)).permissions;
  expect(await permissions()).toEqual(['assistants.flows:read', 'audit:read']);
  await updateItem(controlTable, memberKey(), {
    UpdateExpression: 'SET #roles = :roles',
    ExpressionAttributeNames: { '#roles': 'roles' },
    ExpressionAttributeValues: { ':roles': { '*': 'viewer' } },
  });
  pass(46);
  expect(await permissions()).toEqual(['assistants.flows:read']);
});

test('a token is not cached beyond its expiry, give or take the skew of clocks', async () => {
  pass(590);
  expect(await status()).toBe(200);
  pass(10 + 6);
  expect(await status()).toBe(401);
});

test('a token is not cached beyond the end of its grant', async () => {
  const expires_at = new Date(Date.now() + 20_000).toISOString();
  await updateItem(controlTable, grantItemKey(String(claims.grant)), {
    UpdateExpression: 'SET expires_at = :at',
    ExpressionAttributeValues: { ':at': expires_at },
  });
  expect(await status()).toBe(200);
  pass(21);
  expect(await status()).toBe(401);
});
