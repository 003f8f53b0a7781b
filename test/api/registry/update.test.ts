import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { newRegistryId } from '#lib/ids.ts';
import { card, flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { fetchCurrentCard, verifyBySpecification } from '#test/support/cards.ts';
import { call } from '#test/support/client.ts';
import { askingFlow } from '#test/support/flows.ts';

const update = async ({ key }: Pick<TestCaller, 'key'>, a2aregistryid: string, body: unknown) =>
  await call('updateRegistryRow', { key, params: { a2aregistryid }, body });

const signedCard = z.looseObject({ signatures: z.array(z.unknown()).length(2) });

describe('200', () => {
  test('replaces every member that a client may set, and keeps the others', async () => {
    const caller = await newCaller();
    const before = await newRow(caller, {
      flow_version: '1.0.0',
      label: 'first',
      visibility: 'public',
      tool_config: { a: 1 },
      env_variable: { A: '1' },
    });
    const read = async () => signedCard.parse(await fetchCurrentCard(before.card_url, caller.key));
    const { signatures } = await read();
    const { body: after } = await update(caller, before.a2aregistryid, {
      agent_card: card({ name: 'Other', tags: ['new'] }),
      env_variable: { B: '2' },
      note: 'Replaced.',
    });
    const { flow_version: _, label: __, tool_config: ___, ...kept } = before;
    expect(after).toEqual({
      ...kept,
      agent_card: after.agent_card,
      visibility: 'organization',
      tags: ['new'],
      env_variable: { B: '2' },
      note: 'Replaced.',
      version: 2,
      updated_at: after.updated_at,
    });
    expect(after.agent_card.name).toBe('Other');
    expect((await read()).signatures).not.toEqual(signatures);
    await verifyBySpecification(await read());
    const { body: stored } = await call('getRegistryRow', {
      key: caller.key,
      params: { a2aregistryid: before.a2aregistryid },
    });
    expect(stored).toEqual(after);
  });

  test('replaces the flow if one is sent, and keeps it otherwise', async () => {
    const caller = await newCaller();
    const { a2aregistryid } = await newRow(caller, { flow: flow({ name: 'First' }) });
    const stored = async () =>
      (await call('getRegistryRow', { key: caller.key, params: { a2aregistryid }, query: { flow: 'true' } }))
        .body.flow;
    await update(caller, a2aregistryid, { agent_card: card() });
    expect(await stored()).toEqual(flow({ name: 'First' }));
    await update(caller, a2aregistryid, {
      agent_card: card(),
      flow: flow({ name: 'Second', egress: ['a.example.com'] }),
    });
    expect(await stored()).toEqual(flow({ name: 'Second', egress: ['a.example.com'] }));
  });

  test('returns the warnings of the flow that is sent, and none without a flow', async () => {
    const caller = await newCaller();
    const { a2aregistryid } = await newRow(caller, { flow: askingFlow() });
    const put = async (more: object) =>
      (await update(caller, a2aregistryid, { agent_card: card(), ...more })).body.warnings;
    expect(await put({ flow: askingFlow() })).toMatchObject([
      { pointer: '/body/flow/nodes/sure', code: 'may_pause' },
    ]);
    expect(await put({})).toBeUndefined();
    expect(await put({ flow: flow() })).toBeUndefined();
  });

  test('a live row stays live', async () => {
    const caller = await newCaller();
    const row = await newRow(caller);
    await promoted(caller, row);
    const { body } = await update(caller, row.a2aregistryid, { agent_card: card() });
    expect(body).toMatchObject({ status: 'live', version: 3 });
  });
});

describe('400', () => {
  test.each(['flowid', 'workspaceid', 'orgid', 'status', 'a2aregistryid', 'version'])(
    'a body with %s is refused, since it cannot be changed',
    async (name) => {
      const caller = await newCaller();
      const row = await newRow(caller);
      const { problem } = await update(caller, row.a2aregistryid, { agent_card: card(), [name]: 'x' });
      expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer: `/body/${name}` }] });
    },
  );

  test('an invalid flow is refused with the pointer to its mistake, and the row does not change', async () => {
    const caller = await newCaller();
    const row = await newRow(caller);
    const { problem } = await update(caller, row.a2aregistryid, {
      agent_card: card(),
      flow: flow({ start: 'nowhere' }),
    });
    expect(problem).toMatchObject({ code: 'invalid_flow', errors: [{ pointer: '/body/flow/start' }] });
    const { body } = await call('getRegistryRow', {
      key: caller.key,
      params: { a2aregistryid: row.a2aregistryid },
    });
    expect(body).toEqual(row);
  });
});

describe('403', () => {
  test('a key without the permission to update gets its name', async () => {
    const reader = await newCaller({ scopes: ['assistants.flows:read', 'assistants.flows:create'] });
    const { problem } = await update(reader, newRegistryId(), { agent_card: card() });
    expect(problem.code).toBe('permission_denied');
    expect(problem.detail).toContain('assistants.flows:update');
  });
});

describe('404', () => {
  test('a missing row and one of another organisation give the same error', async () => {
    const { a2aregistryid } = await newRow(await newCaller());
    const stranger = await newCaller();
    expect((await update(stranger, a2aregistryid, { agent_card: card() })).problem.code).toBe(
      'row_not_found',
    );
    expect((await update(stranger, newRegistryId(), { agent_card: card() })).problem.code).toBe(
      'row_not_found',
    );
  });
});

describe('409', () => {
  test('each of several concurrent updates takes effect or is refused, and none that succeeded is lost', async () => {
    const caller = await newCaller();
    const { a2aregistryid } = await newRow(caller);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const answers = await Promise.all(
      names.map((name) =>
        update(caller, a2aregistryid, { agent_card: card({ name }), flow: flow({ name }) }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    for (const { problem, headers } of answers.filter(({ status }) => status !== 200)) {
      expect(problem.code).toBe('version_conflict');
      expect(headers.get('retry-after')).toBe('1');
    }
    const { body } = await call('getRegistryRow', {
      key: caller.key,
      params: { a2aregistryid },
      query: { flow: 'true' },
    });
    expect(body.version).toBe(1 + won.length);
    expect(body.flow?.name).toBe(body.agent_card.name);
  });
});
