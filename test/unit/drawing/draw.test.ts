// Draws flows and parses the pictures as XML.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { draw } from '#lib/drawing/draw.ts';
import { findUnknownNode } from '#lib/drawing/executed-path.ts';
import { buildGraph } from '#lib/drawing/graph.ts';
import { layOut } from '#lib/drawing/layout.ts';
import { renderSvg } from '#lib/drawing/svg.ts';
import { type Element, elementsIn, readXml } from '#test/support/xml.ts';
import { checkedFlow, runNodes } from '../flow/scripted.ts';
import { anyGraph } from './any-graph.ts';

/** For properties: pictures take long on a busy machine. */
const step = (more: object = {}) => ({ type: 'transform', output: 1, ...more });

const nested = {
  plan: { type: 'llm', prompt: 'x', catch: [{ on: ['model.*'], next: 'late' }], next: 'fan' },
  fan: {
    type: 'parallel',
    branches: {
      left: { start: 'one', nodes: { one: step({ next: 'two' }), two: step() } },
      right: {
        start: 'each',
        nodes: {
          each: { type: 'map', items: [1, 2], body: { start: 'twice', nodes: { twice: step() } } },
        },
      },
    },
    next: 'approve',
  },
  approve: { type: 'ask', prompt: 'Ok?', timeout_seconds: 60, on_timeout: 'late', next: 'which' },
  which: {
    type: 'switch',
    cases: [{ when: "{{ nodes.approve = 'no' }}", next: 'plan' }],
    default: 'done',
  },
  late: { type: 'fail', message: 'late' },
  done: { type: 'end', output: {} },
};

const read = (svg: string) => elementsIn(readXml(svg));
const listTexts = (svg: string) => read(svg).flatMap(({ name, text }) => (name === 'text' ? [text] : []));
const findByClass = (elements: readonly Element[], ...names: string[]) =>
  elements.filter(({ attributes }) => names.every((name) => attributes.class?.split(' ').includes(name)));

describe('a picture', () => {
  test('shows every node with its type, also in blocks, and the labels of the edges', async () => {
    const texts = listTexts(await draw(checkedFlow(nested)));
    for (const label of [
      'llm · plan',
      'parallel · fan',
      'transform · two',
      'map · each',
      'transform · twice',
    ])
      expect(texts).toContain(label);
    expect(texts).toEqual(expect.arrayContaining(['left', 'right', 'each item']));
    expect(texts).toEqual(
      expect.arrayContaining(['model.*', "nodes.approve = 'no'", 'default', 'time is up']),
    );
  });

  test('shows the tools of an agent and the agents to which it delegates', async () => {
    const look = (name: string) => ({ name, description: 'Looks.', http: { url: 'https://a.example/' } });
    const node = {
      type: 'agent',
      instructions: 'Help.',
      tools: [look('find_order'), { mcp: 'https://tools.example/mcp' }, { say: {} }],
      agents: [{ name: 'payer', description: 'Pays.', instructions: 'Pay.', tools: [look('pay')] }],
      next: 'done',
    };
    const nodes = { desk: node, done: { type: 'end', output: {} } };
    const texts = listTexts(await draw(checkedFlow(nodes, { egress: ['a.example', 'tools.example'] })));
    expect(texts).toEqual(
      expect.arrayContaining(['http: find_order', 'mcp: tools.example', 'say', 'agent: payer (1 tool)']),
    );
  });

  test('has colours that need no variables, for the light and the dark scheme', async () => {
    const svg = await draw(checkedFlow(nested));
    expect(svg).not.toContain('var(');
    for (const fill of ['#f7f8fa', '#20252e']) expect(svg).toContain(`.card{fill:${fill}`);
  });

  test('shows only the edges for errors and timeouts as dashed lines', async () => {
    const elements = read(await draw(checkedFlow(nested)));
    expect(findByClass(elements, 'edge', 'dashed')).toHaveLength(2);
  });

  test('shows where the run continues after the last visit of a node', async () => {
    const nodes = {
      again: step({ next: 'again', max_visits: 3, on_max_visits: 'done' }),
      done: { type: 'end', output: {} },
    };
    const { entries } = await runNodes(nodes);
    const svg = await draw(checkedFlow(nodes), entries);
    expect(listTexts(svg)).toEqual(expect.arrayContaining(['after 3 visits', '1, 2, 3 · 0 ms', '4 · 0 ms']));
    expect(findByClass(read(svg), 'edge', 'taken')).toHaveLength(2);
    expect(findByClass(read(svg), 'edge', 'taken', 'dashed')).toHaveLength(1);
  });

  test('shows the title of a node that has one', async () => {
    expect(listTexts(await draw(checkedFlow({ a: step({ title: 'Look it up' }) })))).toContain('Look it up');
  });

  test('is the same each time', async () => {
    expect(await draw(checkedFlow(nested))).toBe(await draw(checkedFlow(nested)));
  });

  test('escapes every text, so that none of it becomes markup', async () => {
    const texts = fc.string({ unit: 'binary', maxLength: 60 });
    const hostile = fc.constantFrom(
      '</text><script>alert(1)</script>',
      ']]>',
      '&#x0;',
      '"/><a href="x">',
      '‮x',
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(texts, hostile), async (title) => {
        const names = new Set(
          read(await draw(checkedFlow({ a: step({ title }) }, { name: `F${title}` }))).map(
            ({ name }) => name,
          ),
        );
        expect([...names].sort()).toEqual([
          'circle',
          'defs',
          'g',
          'marker',
          'path',
          'rect',
          'style',
          'svg',
          'text',
          'title',
        ]);
      }),
    );
  });
});

test('the picture of any graph, with any labels and titles, is well-formed XML', async () => {
  await fc.assert(
    fc.asyncProperty(anyGraph(6, 1), async (graph) => {
      expect(readXml(renderSvg(await layOut(graph), 'Any')).name).toBe('svg');
    }),
    { numRuns: 20 },
  );
});

describe('the executed path of a run', () => {
  const failing = {
    call: { type: 'fail', code: 'gone', message: 'Gone.' },
  };

  test('is marked with the order and the time of its nodes, and the rest is faded', async () => {
    const nodes = {
      first: step({ next: 'which' }),
      which: { type: 'switch', cases: [{ when: '{{ false }}', next: 'other' }], default: 'done' },
      other: { type: 'end', output: {} },
      done: { type: 'end', output: {} },
    };
    const { entries } = await runNodes(nodes);
    const svg = await draw(checkedFlow(nodes), entries);
    expect(listTexts(svg)).toEqual(
      expect.arrayContaining(['1 · 0 ms', '2 · 0 ms', '3 · 0 ms', 'The run completed after 3 steps.']),
    );
    const elements = read(svg);
    expect(findByClass(elements, 'edge', 'taken')).toHaveLength(2);
    expect(findByClass(elements, 'edge', 'passed')).toHaveLength(1);
    expect(findByClass(elements, 'end', 'passed')).toHaveLength(1);
  });

  test('shows which node failed', async () => {
    const { entries } = await runNodes(failing);
    const elements = read(await draw(checkedFlow(failing), entries));
    expect(findByClass(elements, 'failed')).toHaveLength(1);
  });

  test('marks the edge for an error, and not the one without an error between the same nodes', async () => {
    const nodes = {
      ask: { type: 'llm', prompt: 'x', catch: [{ on: ['*'], next: 'done' }], next: 'done' },
      done: { type: 'end', output: {} },
    };
    const model = () => Promise.reject(new Error('down'));
    const { entries } = await runNodes(nodes, { model });
    const executed = findByClass(read(await draw(checkedFlow(nodes), entries)), 'edge', 'taken');
    expect(executed.map(({ attributes }) => attributes.class)).toEqual(['edge dashed taken']);
  });

  test('marks an edge that is a text in a box', async () => {
    const onError = { catch: [{ on: ['*'], next: 'bad' }] };
    const chain = Array.from({ length: 30 }, (_, index) => [
      `n${index}`,
      step({ next: index < 29 ? `n${index + 1}` : 'done', ...onError }),
    ]);
    const nodes = {
      ...Object.fromEntries(chain),
      n0: step({ output: '{{ $error("no") }}', next: 'n1', ...onError }),
      bad: { type: 'fail', message: 'x' },
      done: { type: 'end', output: {} },
    };
    const { entries } = await runNodes(nodes);
    const elements = read(await draw(checkedFlow(nodes), entries));
    expect(findByClass(elements, 'told', 'taken').map(({ text }) => text)).toEqual(['any error → bad']);
    expect(findByClass(elements, 'told', 'passed')).toHaveLength(28);
  });

  test('counts the executions of nodes inside a map, and ignores the nodes of called flows', async () => {
    const nodes = {
      each: {
        type: 'map',
        items: [1, 2, 3, 4, 5],
        body: { start: 'twice', nodes: { twice: step() } },
        next: 'done',
      },
      done: { type: 'end', output: {} },
    };
    const { entries } = await runNodes(nodes);
    const foreign = { event: 'started', message: '', node_id: 'twice', scope: 'done.1.called' };
    const texts = listTexts(await draw(checkedFlow(nodes), [...entries, foreign]));
    expect(texts).toContain('2, 3, 4 … (5×) · 0 ms');
  });
});

describe('a log', () => {
  const each = {
    each: { type: 'map', items: [1], body: { start: 'twice', nodes: { twice: step() } }, next: 'call' },
    call: { type: 'flow', flowid: 'other', next: 'done' },
    done: { type: 'end', output: {} },
  };
  const graph = buildGraph(checkedFlow(each));
  const entry = (node_id: string, scope?: string) => ({
    ...{ event: 'started', message: '', node_id },
    ...(scope !== undefined && { scope }),
  });

  test.each([
    ['of nodes of the flow', [entry('each'), entry('twice', 'each.1.0'), entry('done')], undefined],
    ['of a flow that it calls', [entry('call'), entry('theirs', 'call.1.called')], undefined],
    ['without nodes', [{ event: 'run_started', message: '' }], undefined],
    ['of another node', [entry('each'), entry('first'), entry('second')], 'first'],
    ['of another node inside one of the flow', [entry('thrice', 'each.1.0')], 'thrice'],
    ['of a node inside another', [entry('twice', 'all.1.0')], 'all'],
  ])('%s: findUnknownNode finds the node that the flow does not have: %#', (_what, log, unknown) => {
    expect(findUnknownNode(graph, log)).toBe(unknown);
  });
});

test('a graph has the edges of a flow in the order of the flow', () => {
  expect(buildGraph(checkedFlow(nested)).edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`)).toEqual([
    'plan next fan',
    'plan catch late',
    'fan next approve',
    'approve next which',
    'approve timeout late',
    'which branch plan',
    'which branch done',
  ]);
});

test.each([
  '<a>',
  '<a></b>',
  '<a b=c/>',
  '<a>&nbsp;</a>',
  '<a b="1" b="2"/>',
  '<a/><b/>',
  '<a>\u0000</a>',
  '<a><</a>',
])('the XML parser of these tests refuses %j', (source) => {
  expect(() => readXml(source)).toThrow();
});
