import { describe, expect, test } from 'vitest';
import { newRegistryId } from '#lib/ids.ts';
import { card, flow, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';

const readDiff = async (
  { key }: TestCaller,
  { a2aregistryid }: { readonly a2aregistryid: string },
  query: Readonly<Record<string, string>> = {},
) => await call('diffRegistryRow', { key, params: { a2aregistryid }, query });

const skill = (id: string) => ({ id, name: id, description: 'Does it.' });
const longer = flow({
  start: 'greet',
  nodes: {
    greet: { type: 'reply', text: 'Hello', next: 'done' },
    done: { type: 'end', output: { said: '{{ input.message }}' } },
  },
});

describe('200', () => {
  test('lists what the new build may call and the live one may not', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    await promoted(caller, await newRow(caller, { flowid }));
    const nodes = { call: { type: 'flow', flowid: 'other', next: 'done' }, ...flow().nodes };
    const next = await newRow(caller, { flowid, flow: flow({ start: 'call', nodes }) });
    expect((await readDiff(caller, next)).body.reaches).toEqual([
      { name: 'flow other', change: 'added', breaking: false },
    ]);
  });

  test('lists what a promotion would change, and marks what would break callers', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const live = await promoted(
      caller,
      await newRow(caller, { flowid, agent_card: card({ skills: [skill('a'), skill('b')] }) }),
    );
    const next = await newRow(caller, {
      flowid,
      agent_card: card({ name: 'Greeter', skills: [skill('a')] }),
      flow: longer,
      env_variable: { MODE: 'hidden-value' },
      tool_config: { search: { top: 1 } },
    });
    const { body, text } = await readDiff(caller, next);
    expect(body).toEqual({
      from: live.a2aregistryid,
      to: next.a2aregistryid,
      breaking: true,
      card: [{ name: 'name', change: 'changed', breaking: false, was: 'Echo', now: 'Greeter' }],
      skills: [{ name: 'b', change: 'removed', breaking: true }],
      extensions: [],
      input_modes: [],
      output_modes: [],
      input: [],
      output: [],
      nodes: [{ name: 'greet', change: 'added', breaking: false, now: 'reply' }],
      egress: [],
      reaches: [],
      models: [],
      connections: [],
      env_variable: [{ name: 'MODE', change: 'added', breaking: false }],
      tool_config: [{ name: 'search', change: 'added', breaking: false }],
    });
    expect(text).not.toContain('hidden-value');
    const back = (await readDiff(caller, live, { against: next.a2aregistryid })).body;
    expect(back).toMatchObject({
      from: next.a2aregistryid,
      to: live.a2aregistryid,
      breaking: false,
      skills: [{ name: 'b', change: 'added' }],
    });
  });

  test('lists an input that callers of the live build do not send, and a response that they miss', async () => {
    const caller = await newCaller();
    const flowid = unique('flow');
    const response = { type: 'object', properties: { said: { type: 'string' } } };
    const live = await newRow(caller, { flowid, flow: { ...longer, output: response } });
    await promoted(caller, live);
    const input = {
      type: 'object',
      properties: { order_id: { type: 'string' }, note: { type: 'string' } },
      required: ['order_id'],
    };
    const next = await newRow(caller, { flowid, flow: { ...longer, input } });
    const { body } = await readDiff(caller, next, { against: live.a2aregistryid });
    expect(body).toMatchObject({
      breaking: true,
      input: [
        { name: 'user_variables', change: 'added', breaking: false },
        { name: 'user_variables.note', change: 'added', breaking: false, now: 'string' },
        { name: 'user_variables.order_id', change: 'added', breaking: true, now: 'string, required' },
      ],
      output: [
        { name: 'response', change: 'removed', breaking: false },
        { name: 'response.said', change: 'removed', breaking: true, was: 'string' },
      ],
    });
  });

  test('the live build does not differ from itself', async () => {
    const caller = await newCaller();
    const { a2aregistryid } = await promoted(caller, await newRow(caller));
    const { body } = await readDiff(caller, { a2aregistryid }, { against: 'live' });
    expect(body).toMatchObject({ from: a2aregistryid, to: a2aregistryid, breaking: false, nodes: [] });
  });

  test('without a live build everything is new', async () => {
    const caller = await newCaller();
    const { body } = await readDiff(caller, await newRow(caller));
    expect(body.from).toBeUndefined();
    expect(body.nodes).toEqual([{ name: 'done', change: 'added', breaking: false, now: 'end' }]);
  });
});

describe('400', () => {
  test('a value other than a registry id or "live" is reported', async () => {
    const caller = await newCaller();
    const { problem } = await readDiff(caller, await newRow(caller), { against: 'build-1' });
    expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/query/against' }] });
  });
});

describe('403', () => {
  test('a key without the permission to read gets its name', async () => {
    const caller = await newCaller({ scopes: ['assistants.flows:update'] });
    const { problem } = await readDiff(caller, { a2aregistryid: newRegistryId() });
    expect(problem.code).toBe('permission_denied');
    expect(problem.detail).toContain('assistants.flows:read');
  });
});

describe('404', () => {
  test('a missing row and one of another organisation give the same error, on either side', async () => {
    const caller = await newCaller();
    const own = await newRow(caller);
    const foreign = await newRow(await newCaller());
    for (const answer of [
      await readDiff(caller, foreign),
      await readDiff(caller, { a2aregistryid: newRegistryId() }),
      await readDiff(caller, own, { against: foreign.a2aregistryid }),
      await readDiff(caller, own, { against: newRegistryId() }),
    ])
      expect(answer.problem.code).toBe('row_not_found');
  });
});
