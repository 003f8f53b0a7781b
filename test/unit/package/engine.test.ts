import { describe, expect, test } from 'vitest';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';
import { memoryStore } from '#lib/flow/testing/memory-store.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { drawFlow } from '#lib/package/draw.ts';
import { checkFlow, checkText, compileFlow, createHttpPort, testFlow } from '#lib/package/engine.ts';
import { type RunOutcome, type RunSettings, resumeFlow, runFlow, type SavedRun } from '#lib/package/run.ts';

function compile(nodes: JsonObject, start: string, more: JsonObject = {}) {
  const checked = checkFlow({ version: 1, name: 'A flow', start, nodes, ...more });
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors));
  return compileFlow(checked.flow);
}

/** As another process has it. */
function stored(outcome: RunOutcome): SavedRun {
  if (!('saved' in outcome)) throw new Error(`Expected a run to resume, got ${outcome.status}.`);
  return JSON.parse(JSON.stringify(outcome.saved));
}

const greeting = compile(
  {
    name: { type: 'ask', prompt: 'Your name?', choices: ['Ada', 'Bob'], next: 'greet' },
    greet: {
      type: 'end',
      output: {
        text: '{{ input.message }} {{ nodes.name }} of {{ env.town }}',
        run: '{{ run.id }} {{ run.started_at }}',
      },
    },
  },
  'name',
);
const started = { input: { message: 'Hi' }, env: { town: 'Ulm' }, runId: 'run-1', startedAt: 0 };

describe('a run that is resumed', () => {
  test('keeps its input, environment, id and start', async () => {
    const paused = await runFlow(greeting, started);
    expect(paused).toMatchObject({ status: 'input_required', requests: [{ id: 'name.1' }] });
    expect(await resumeFlow(greeting, stored(paused), { answer: { value: 'Ada' } })).toEqual({
      status: 'completed',
      response: { text: 'Hi Ada of Ulm', run: 'run-1 1970-01-01T00:00:00.000Z' },
    });
  });

  test('stays as it is after an answer that does not fit', async () => {
    const saved = stored(await runFlow(greeting, started));
    const refused = await resumeFlow(greeting, saved, { answer: { value: 'Eve' } });
    expect(refused).toMatchObject({ status: 'refused', error: { code: 'answer.invalid' } });
    expect(await resumeFlow(greeting, saved, { answer: { value: 'Bob' } })).toMatchObject({
      status: 'completed',
    });
  });

  test('continues from each of its checkpoints, as after a crash', async () => {
    const count: Json = { count: '{{ state.count + 1 }}' };
    const nodes = {
      one: { type: 'transform', output: 1, assign: count, next: 'two' },
      two: { type: 'transform', output: 2, assign: count, next: 'done' },
      done: { type: 'end', output: count },
    };
    const flow = compile(nodes, 'one', { state: { count: 0 } });
    const checkpoints: string[] = [];
    const checkpoint = async (saved: SavedRun) => void checkpoints.push(JSON.stringify(saved));
    await runFlow(flow, { ports: { checkpoint } });
    expect(checkpoints).not.toEqual([]);
    for (const saved of checkpoints)
      expect(await resumeFlow(flow, JSON.parse(saved))).toEqual({
        status: 'completed',
        response: { count: 3 },
      });
  });

  test('continues after its time has come, or at once after it has yielded', async () => {
    const nodes = { pause: { type: 'wait', seconds: 3600, next: 'done' }, done: { type: 'end', output: {} } };
    const flow = compile(nodes, 'pause');
    const waiting = await runFlow(flow, { startedAt: 0 });
    expect(waiting).toMatchObject({ status: 'waiting', until: expect.stringMatching(/Z$/) });
    const yielded = await runFlow(flow, { yieldAfterMs: 0 });
    expect(await resumeFlow(flow, stored(yielded))).toMatchObject({ status: 'waiting' });
  });
});

describe('a node without its port fails', () => {
  const error = async (node: JsonObject, settings: RunSettings = {}) => {
    const flow = compile({ only: { ...node, next: 'done' }, done: { type: 'end', output: {} } }, 'only', {
      egress: ['localhost:9', 'example.com'],
      connections: { shop: { type: 'http_bearer', hosts: ['example.com'] } },
    });
    const outcome = await runFlow(flow, settings);
    return outcome.status === 'failed' ? `${outcome.error.node_id} ${outcome.error.code}` : outcome.status;
  };
  const request = { type: 'http', url: 'http://localhost:9/' };

  test.each([
    ['a model', { type: 'llm', prompt: 'Hi' }, 'only model.not_configured'],
    ['HTTP', request, 'only http.network'],
    ['MCP', { type: 'mcp', server: 'https://example.com/mcp', tool: 'x' }, 'only mcp.unavailable'],
    ['a store', { type: 'store', get: 'a' }, 'only store.unavailable'],
  ])('%s', async (_name, node, expected) => expect(await error(node)).toBe(expected));

  test('and a port in memory stores values', async () => {
    const store = memoryStore(false);
    expect(await error({ type: 'store', get: 'a' }, { ports: { store } })).toBe('completed');
  });

  test('and the HTTP port reaches no private address that is not allowed', async () => {
    const secure = { ...request, url: 'https://localhost:9/' };
    expect(await error(secure, { ports: { http: createHttpPort() } })).toBe('only egress.private_address');
    const http = createHttpPort({ allowPrivate: ['localhost:9'] });
    expect(await error(secure, { ports: { http } })).toBe('only http.network');
    const connected = { type: 'http', url: 'https://example.com/', connection: 'shop' };
    expect(await error(connected, { ports: { http } })).toBe('only connection.missing');
  });
});

describe('checkFlow', () => {
  test('lists mistakes with pointers', () => {
    const checked = checkFlow({
      version: 1,
      name: 'x',
      start: 'a',
      nodes: { b: { type: 'end', output: {} } },
    });
    expect(checked).toMatchObject({ ok: false, total: 1, errors: [{ pointer: '/start' }] });
  });

  test('takes what becomes a flow as JSON', () => {
    const toJSON = () => ({ version: 1, name: 'x', start: 'a', nodes: { a: { type: 'end', output: {} } } });
    expect(checkFlow({ toJSON })).toMatchObject({ ok: true, flow: { name: 'x' } });
  });
});

describe('checkText', () => {
  const yaml = 'version: 1\nname: x\nstart: a\nnodes:\n  a: { type: ask, prompt: "?" }\n';

  test.each([
    ['YAML', yaml, { line: 5, column: 3 }],
    [
      'JSON',
      '{\n\t"version": 1, "name": "x", "start": "a",\n\t"nodes": {\n\t\t"a": { "type": "ask", "prompt": "?" } } }',
      { line: 4, column: 3 },
    ],
  ])('gives warnings of %s their positions', async (_name, text, position) => {
    const checked = await checkText(text);
    expect(checked).toMatchObject({
      ok: true,
      flow: { name: 'x' },
      warnings: [{ pointer: '/nodes/a', ...position }],
    });
  });

  test.each([
    ['a mistake', yaml.replace('prompt', 'promt'), '/nodes/a/promt', { line: 5, column: 19 }],
    ['a duplicate name', `${yaml}name: y\n`, '', { line: 6, column: 1 }],
    ['what is no YAML', 'a: [', '', { line: 1 }],
  ])('gives %s its position', async (_name, text, pointer, position) => {
    expect(await checkText(text)).toMatchObject({
      ok: false,
      errors: expect.arrayContaining([expect.objectContaining({ pointer, ...position })]),
    });
  });
});

test('a flow is tested and drawn', async () => {
  const checked = checkFlow({
    ...{
      version: 1,
      name: 'Tested',
      start: 'done',
      nodes: { done: { type: 'end', output: { a: '{{ env.b }}' } } },
    },
    tests: [{ name: 'right', input: {}, expect: '{{ response.a = 2 }}' }],
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors));
  expect(await testFlow(checked.flow, { env: { b: 2 } })).toMatchObject({ passed: true });
  expect(await testFlow(checked.flow)).toMatchObject({ passed: false });
  const logs: LogEntry[] = [];
  await runFlow(compileFlow(checked.flow), { env: { b: 2 }, ports: { log: (entry) => logs.push(entry) } });
  const [plain, marked] = [await drawFlow(checked.flow), await drawFlow(checked.flow, logs)];
  expect(plain).toContain('>done<');
  expect(marked).not.toBe(plain);
});

test('a run without credentials for a connection asks for them', async () => {
  const flow = compile({ done: { type: 'end', output: {} } }, 'done', {
    connections: { shop: { type: 'http_bearer', hosts: ['example.com'] } },
  });
  expect(await runFlow(flow, { missingConnections: ['shop'] })).toMatchObject({
    status: 'auth_required',
    needs: [{ connection: 'shop' }],
  });
});
