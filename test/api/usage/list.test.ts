import { describe, expect, test } from 'vitest';
import { flow } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, replyingFlow, type TestAgent } from '#test/support/flows.ts';
import { newModelScript, scriptedModels } from '#test/support/model-script.ts';
import { endedRun, readUsage, used } from '#test/support/usage.ts';

const asking = () =>
  flow({
    models: scriptedModels,
    start: 'ask',
    nodes: {
      ask: { type: 'llm', prompt: '{{ input.message }}', next: 'done' },
      done: { type: 'end', output: { answer: '{{ nodes.ask }}' } },
    },
  });

const today = () => new Date().toISOString().slice(0, 10);
const trigger = async (agent: TestAgent, message: string, key = agent.key) =>
  (
    await call('triggerFlow', {
      key,
      params: { workspace_id: agent.workspaceid, trigger_id: agent.flowid, environment: 'live' },
      body: { message },
    })
  ).body;

/** A run with one call of a model; the tokens and the cost of the run. */
async function charged(agent: TestAgent, tokens: { input: number; output: number }, key = agent.key) {
  const script = newModelScript();
  const [{ workflow_id }] = await Promise.all([
    trigger(agent, script.prompt, key),
    script.answer('Hello', 1, { tokens }),
  ]);
  return (
    await call('getRunDetail', {
      key: agent.key,
      params: { workspace_id: agent.workspaceid, workflow_id },
    })
  ).body;
}

/** Of two models on two days of two months, by two flows and keys in two workspaces. */
async function recorded() {
  const orgid = unique('org');
  const all = await newCaller({ orgid });
  const one = { ...all, workspaceid: 'ws_one' };
  const other = { ...(await newCaller({ orgid })), workspaceid: 'ws_other' };
  const flows = { triage: { flowid: 'triage' }, answer: { flowid: 'answer' } };
  await endedRun(
    one,
    '2026-09-30T23:59:59.999Z',
    [used(), used({ model: 'test/large', cost: 0.01 })],
    flows.triage,
  );
  await endedRun(
    one,
    '2026-10-01T00:00:00.000Z',
    [used({ input: 50, cached: 40, cache_write: 5 })],
    flows.triage,
  );
  await endedRun(other, '2026-10-01T12:00:00.000Z', [used()], flows.answer);
  await endedRun(
    other,
    '2026-10-01T13:00:00.000Z',
    [{ model: 'test/free', input: 7, output: 1 }],
    flows.triage,
  );
  return { all, one, other };
}
const range = { from: '2026-09-01', to: '2026-10-31' };

describe('200', () => {
  test('a run that uses a model is counted with the tokens and the cost that the run itself shows', async () => {
    const agent = await liveAgent({ flow: asking() });
    const first = await charged(agent, { input: 1_000, output: 20 });
    const second = await charged(agent, { input: 500, output: 3 });
    expect(await readUsage(agent, { workspaceid: agent.workspaceid })).toEqual([
      {
        period: today(),
        calls: 2,
        tokens: { input: 1_500, output: 23, cached: 0, cache_write: 0 },
        cost_estimate: Number(((first.cost_estimate ?? 0) + (second.cost_estimate ?? 0)).toFixed(9)),
        unpriced_calls: 0,
        currency: 'USD',
      },
    ]);
  });

  test('a run without models is not counted', async () => {
    const agent = await liveAgent({ flow: replyingFlow() });
    await trigger(agent, 'hello');
    expect(await readUsage(agent)).toEqual([]);
  });

  test('usage is of the organisation of the flow, and names no key of another that has called it', async () => {
    const agent = await liveAgent({ flow: asking(), visibility: 'public' });
    const stranger = await newCaller();
    const script = newModelScript();
    const sent = call('callAgent', {
      key: stranger.key,
      params: { registryId: agent.a2aregistryid },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: { message: { messageId: unique('m'), role: 'ROLE_USER', parts: [{ text: script.prompt }] } },
      },
    });
    await Promise.all([sent, script.answer('Hello')]);
    expect(await readUsage(agent, { group: 'key' })).toEqual([
      expect.not.objectContaining({ key: expect.anything() }),
    ]);
    expect(await readUsage(stranger)).toEqual([]);
  });

  test('a day has one row, in UTC, and a month the sum of its days', async () => {
    const { all } = await recorded();
    const figures = (rows: Awaited<ReturnType<typeof readUsage>>) =>
      rows.map(({ period, calls, tokens, cost_estimate, unpriced_calls }) => [
        period,
        calls,
        tokens.input,
        tokens.output,
        tokens.cached,
        tokens.cache_write,
        cost_estimate,
        unpriced_calls,
      ]);
    expect(figures(await readUsage(all, range))).toEqual([
      ['2026-09-30', 2, 200, 20, 0, 0, 0.0105, 0],
      ['2026-10-01', 3, 157, 21, 40, 5, 0.001, 1],
    ]);
    expect(figures(await readUsage(all, { ...range, by: 'month' }))).toEqual([
      ['2026-09', 2, 200, 20, 0, 0, 0.0105, 0],
      ['2026-10', 3, 157, 21, 40, 5, 0.001, 1],
    ]);
    expect(await readUsage(all, { from: '2026-10-02', to: '2026-10-31' })).toEqual([]);
  });

  test.each<[group: string, rows: (ids: { one: TestCaller; other: TestCaller }) => unknown[]]>([
    [
      'workspace',
      () => [
        ['2026-09', { workspaceid: 'ws_one' }, 2],
        ['2026-10', { workspaceid: 'ws_one' }, 1],
        ['2026-10', { workspaceid: 'ws_other' }, 2],
      ],
    ],
    [
      'flow',
      () => [
        ['2026-09', { workspaceid: 'ws_one', flowid: 'triage' }, 2],
        ['2026-10', { workspaceid: 'ws_one', flowid: 'triage' }, 1],
        ['2026-10', { workspaceid: 'ws_other', flowid: 'answer' }, 1],
        ['2026-10', { workspaceid: 'ws_other', flowid: 'triage' }, 1],
      ],
    ],
    [
      'key',
      ({ one, other }) => [
        ['2026-09', { key: one.id }, 2],
        ...[
          ['2026-10', { key: one.id }, 1],
          ['2026-10', { key: other.id }, 2],
        ].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
      ],
    ],
    [
      'model',
      () => [
        ['2026-09', { model: 'test/large' }, 1],
        ['2026-09', { model: 'test/small' }, 1],
        ['2026-10', { model: 'test/free' }, 1],
        ['2026-10', { model: 'test/small' }, 2],
      ],
    ],
  ])('a period is split by %s', async (group, rows) => {
    const { all, one, other } = await recorded();
    const read = await readUsage(all, { ...range, by: 'month', group });
    const labels = read.map(({ period, workspaceid, flowid, key, model, calls }) => [
      period,
      JSON.parse(JSON.stringify({ workspaceid, flowid, key, model })),
      calls,
    ]);
    expect(labels).toEqual(rows({ one, other }));
  });

  test.each(['day', 'month'])('pages by %s have each row once, in one order', async (by) => {
    const { all } = await recorded();
    const query = { ...range, by, group: 'flow' };
    const whole = await readUsage(all, query);
    const found: unknown[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await call('listUsage', {
        key: all.key,
        query: { ...query, limit: '1', ...(cursor && { cursor }) },
      });
      found.push(...body.items);
      cursor = body.nextCursor;
    } while (cursor);
    expect(found).toEqual(whole);
    expect(whole).toHaveLength(4);
  });

  test('credentials for one workspace see that one alone', async () => {
    const { all } = await recorded();
    const limited = await newCaller({ orgid: all.orgid, workspaces: ['ws_other'], scopes: ['usage:read'] });
    const rows = await readUsage(limited, { ...range, group: 'workspace' });
    expect(rows.map(({ workspaceid }) => workspaceid)).toEqual(['ws_other']);
    expect(await readUsage(all, { ...range, group: 'workspace', workspaceid: 'ws_other' })).toEqual(rows);
  });

  test('another organisation with workspaces, flows and keys of the same names sees nothing', async () => {
    const { one } = await recorded();
    const stranger = await newCaller();
    expect(await readUsage(stranger, { ...range, workspaceid: one.workspaceid })).toEqual([]);
    expect(await readUsage(stranger, range)).toEqual([]);
  });
});

describe('400 names the parameter', () => {
  test.each<[query: Readonly<Record<string, string>>, pointer: string]>([
    [{ from: '2026-13-01' }, '/query/from'],
    [{ from: '2026-11-01T00:00:00Z' }, '/query/from'],
    [{ to: 'today' }, '/query/to'],
    [{ from: '2026-11-02', to: '2026-11-01' }, '/query/from'],
    [{ from: '2026-08-01', to: '2026-11-01' }, '/query/from'],
    [{ from: '2025-09-01', to: '2026-11-01', by: 'month' }, '/query/from'],
    [{ by: 'year' }, '/query/by'],
    [{ group: 'organisation' }, '/query/group'],
    [{ limit: '0' }, '/query/limit'],
    [{ cursor: 'x' }, '/query/cursor'],
    [{ month: '2026-11' }, '/query/month'],
  ])('%o', async (query, pointer) => {
    const { problem } = await call('listUsage', { key: (await newCaller()).key, query });
    expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer }] });
  });
});

describe('403', () => {
  test('without the permission, and for a workspace that the credentials are not for', async () => {
    const { key } = await newCaller({ scopes: ['assistants.flows:read'] });
    expect((await call('listUsage', { key })).problem.code).toBe('permission_denied');
    const limited = await newCaller({ workspaces: ['ws_one'] });
    const query = { workspaceid: 'ws_other' };
    expect((await call('listUsage', { key: limited.key, query })).problem.code).toBe('permission_denied');
  });
});
