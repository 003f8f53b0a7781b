// Idempotency-Key on registrations: what is sent again is answered again, and done once.
import { describe, expect, test } from 'vitest';
import type { Caller } from '#lib/access/caller.ts';
import { claimSeconds, runOnce, takeClaim } from '#lib/dynamo/idempotency.ts';
import { timeoutLadder } from '#lib/http/route.ts';
import { card, createBody, flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

const create = async ({ key, workspaceid }: TestCaller, idempotencyKey: string, body: unknown) =>
  await call('createRegistryRow', {
    key,
    query: { workspaceid },
    headers: { 'idempotency-key': idempotencyKey },
    body,
  });

const listRows = async ({ key, workspaceid }: TestCaller) =>
  (await call('listRegistryRows', { key, query: { workspaceid } })).body.items;

const richBody = () =>
  createBody({
    flow_version: '3.1.4',
    label: 'pi',
    note: 'Not exact.',
    visibility: 'public',
    agent_card: card({ tags: ['orders', 'Größe'] }),
    tool_config: { a: [1, { b: null }] },
    env_variable: { REGION: 'eu' },
    flow: flow({ egress: ['api.example.com'] }),
  });

describe('201', () => {
  test('a repeated request gets the same answer, byte for byte, and makes no second build', async () => {
    const caller = await newCaller();
    const [key, body] = [unique('idem'), richBody()];
    const first = await create(caller, key, body);
    const second = await create(caller, key, body);
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(second.headers.get('etag')).toBe('"1"');
    // The response to registering a build has the warnings of the check.
    expect(await listRows(caller)).toEqual([{ ...first.body, warnings: undefined }]);
  });

  test('a repeated request gets the same answer after the row was changed, promoted or deleted', async () => {
    const caller = await newCaller();
    const [key, body] = [unique('idem'), richBody()];
    const first = await create(caller, key, body);
    const params = { a2aregistryid: first.body.a2aregistryid };
    await call('updateRegistryRow', { key: caller.key, params, body: { agent_card: card({ name: 'New' }) } });
    await call('promoteRegistryRow', { key: caller.key, params });
    expect((await create(caller, key, body)).text).toBe(first.text);
    await call('deleteRegistryRow', { key: caller.key, params });
    expect((await create(caller, key, body)).text).toBe(first.text);
    expect(await listRows(caller)).toEqual([]);
  });

  test('other idempotency keys, and other callers with the same one, make their own builds', async () => {
    const caller = await newCaller();
    const sibling = { ...(await newCaller({ orgid: caller.orgid })), workspaceid: caller.workspaceid };
    const [key, body] = [unique('idem'), createBody()];
    const answers = [await create(caller, key, body), await create(sibling, key, body)];
    answers.push(await create(caller, unique('idem'), body), await create(await newCaller(), key, body));
    expect(new Set(answers.map((answer) => answer.body.a2aregistryid)).size).toBe(4);
    expect(answers.map((answer) => answer.body.build_no)).toEqual([1, 2, 3, 1]);
  });

  test('white space in the body does not make it another request', async () => {
    const { key, workspaceid } = await newCaller();
    const body = createBody();
    const headers = { 'idempotency-key': unique('idem') };
    const sent = [JSON.stringify(body), JSON.stringify(body, undefined, 4)];
    const [first, second] = [
      await call('createRegistryRow', { key, query: { workspaceid }, headers, text: sent[0] ?? '' }),
      await call('createRegistryRow', { key, query: { workspaceid }, headers, text: sent[1] ?? '' }),
    ];
    expect(second.text).toBe(first.text);
  });

  test('of many concurrent requests one makes the build, and the others get it or are asked to retry', async () => {
    const caller = await newCaller();
    const [key, body] = [unique('idem'), createBody()];
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(caller, key, body)));
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(answer.problem.code).toBe('idempotency_in_flight');
    expect(await listRows(caller)).toHaveLength(1);
  });

  test('a key whose request was refused may be used again with a corrected body', async () => {
    const caller = await newCaller();
    const key = unique('idem');
    const refused = await create(caller, key, createBody({ flow: flow({ start: 'nowhere' }) }));
    expect(refused.problem.code).toBe('invalid_flow');
    expect((await create(caller, key, createBody())).status).toBe(201);
  });
});

describe('400', () => {
  test.each(['a b', 'x'.repeat(256), 'é'])(
    'a key that is not 1 to 255 visible ASCII characters (%s) is named',
    async (key) => {
      const { problem } = await create(await newCaller(), key, createBody());
      expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/headers/idempotency-key']);
    },
  );

  test('any 255 visible characters are accepted', async () => {
    const key = `#!"'{}\\/~${'x'.repeat(246)}`;
    expect((await create(await newCaller(), key, createBody())).status).toBe(201);
  });
});

describe('409', () => {
  test('while the first request is in progress, the second is asked to retry', async () => {
    const { id: callerid, orgid } = await newCaller();
    const wanted = { orgid, callerid, key: unique('idem'), fingerprint: 'f', at: new Date().toISOString() };
    expect(await takeClaim({ ...wanted, token: 'first' })).toBeUndefined();
    const never = () => {
      throw new Error('Nothing is to be done.');
    };
    const second = runOnce({ ...wanted, token: 'second' }, { run: never, replay: never });
    await expect(second).rejects.toMatchObject({ code: 'idempotency_in_flight' });
  });
});

describe('422', () => {
  test('another body or workspace with the same key is refused', async () => {
    const caller = await newCaller();
    const [key, body] = [unique('idem'), createBody()];
    await create(caller, key, body);
    const others = [
      await create(caller, key, { ...body, visibility: 'public' }),
      await create(caller, key, { ...body, flow: flow({ name: 'Other' }) }),
      await create({ ...caller, workspaceid: unique('ws') }, key, body),
    ];
    for (const { problem } of others)
      expect([problem.status, problem.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await listRows(caller)).toHaveLength(1);
  });
});

/**
 * What a function that died left behind: a claim, as old as is said, of a request that nobody works on any
 * more.
 */
async function abandoned({ id, orgid }: Pick<Caller, 'id' | 'orgid'>, key: string, ageSeconds: number) {
  const at = new Date(Date.now() - ageSeconds * 1_000).toISOString();
  const mine = { orgid, callerid: id, key, fingerprint: 'of the request that died', token: 'dead', at };
  expect(await takeClaim(mine)).toBeUndefined();
  return mine.fingerprint;
}

describe('a function that died before it had finished', () => {
  test('leaves a claim that expires soon after the longest time-out of a function', async () => {
    expect(claimSeconds).toBeGreaterThan(timeoutLadder.quick.function);
    const caller = await newCaller();
    const key = unique('idem');
    await abandoned(caller, key, claimSeconds - 5);
    expect((await create(caller, key, createBody())).problem.status).toBe(422);
    const old = unique('idem');
    await abandoned(caller, old, claimSeconds + 1);
    expect((await create(caller, old, createBody())).status).toBe(201);
  });

  test('cannot finish once another function has taken over its claim', async () => {
    const caller = await newCaller();
    const [key, body] = [unique('idem'), createBody()];
    await abandoned(caller, key, claimSeconds + 1);
    const { text } = await create(caller, key, body);
    const late = { orgid: caller.orgid, callerid: caller.id, key, fingerprint: 'x', token: 'dead' };
    expect(await takeClaim({ ...late, at: new Date().toISOString() })).toMatchObject({
      receipt: { build_no: 1 },
    });
    expect((await create(caller, key, body)).text).toBe(text);
  });

  test('a stored answer is ignored after 24 h, even if its item still exists', async () => {
    const caller = await newCaller();
    const [key, body] = [unique('idem'), createBody()];
    const first = await create(caller, key, body);
    const mine = { orgid: caller.orgid, callerid: caller.id, key, fingerprint: 'new', token: 'new' };
    const later = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
    expect(await takeClaim({ ...mine, at: later(86_390) })).toMatchObject({
      receipt: { a2aregistryid: first.body.a2aregistryid },
    });
    expect(await takeClaim({ ...mine, at: later(86_410) })).toBeUndefined();
  });
});
