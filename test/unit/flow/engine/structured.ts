// Random flows of nested scopes, loops, questions, waits and catches, and ports that answer them the same in
// whatever process they are asked.
import fc from 'fast-check';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import type { FlowRequest } from '#lib/flow/engine/node-context.ts';
import type { HttpRequest } from '#lib/flow/ports/http.ts';
import type { ModelAnswer, ModelRequest } from '#lib/flow/ports/model.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import { checkedFlow, httpAnswer, modelAnswer, type Script } from '../scripted.ts';

const leafKinds = ['transform', 'rows', 'count', 'llm', 'agent', 'flow', 'ask', 'wait', 'reply'] as const;

type Part =
  | { readonly kind: (typeof leafKinds)[number] }
  | { readonly kind: 'http'; readonly retries: boolean; readonly catches: boolean }
  | {
      readonly kind: 'loop';
      readonly times: number;
      /** Ends after so many rounds at the latest, by `on_max_visits`. */
      readonly most: number;
      readonly parts: readonly Part[];
    }
  | {
      readonly kind: 'parallel';
      readonly join: 'all' | 'settled';
      readonly branches: readonly (readonly Part[])[];
    }
  | {
      readonly kind: 'map';
      readonly items: number;
      readonly width: number;
      readonly onError: 'fail' | 'collect' | 'skip';
      readonly parts: readonly Part[];
    };

const { parts } = fc.letrec<{ part: Part; parts: readonly Part[] }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record({ kind: fc.constantFrom(...leafKinds) }),
    {
      arbitrary: fc.record({ kind: fc.constant('http'), retries: fc.boolean(), catches: fc.boolean() }),
      weight: 3,
    },
    fc.record({
      kind: fc.constant('loop'),
      times: fc.integer({ min: 1, max: 3 }),
      most: fc.integer({ min: 1, max: 3 }),
      parts: tie('parts'),
    }),
    fc.record({
      kind: fc.constant('parallel'),
      join: fc.constantFrom('all', 'settled'),
      branches: fc.array(tie('parts'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('map'),
      items: fc.nat({ max: 4 }),
      width: fc.integer({ min: 1, max: 3 }),
      onError: fc.constantFrom('fail', 'collect', 'skip'),
      parts: tie('parts'),
    }),
  ),
  parts: fc.array(tie('part'), { minLength: 1, maxLength: 3 }),
}));

export const structuredFlow: fc.Arbitrary<Flow> = parts.map(flowFromParts);

/** One branch for each kind of node that can run beside others, and a request after it. */
export const everyKindOfNode = (): Flow =>
  flowFromParts([
    {
      kind: 'parallel',
      join: 'settled',
      branches: leafKinds.map((kind) => [{ kind }, { kind: 'http', retries: true, catches: true }]),
    },
  ]);

function flowFromParts(drawn: readonly Part[]): Flow {
  const ids = { count: 0 };
  const end = { type: 'end', output: { nodes: '{{ nodes }}', state: '{{ state }}' } };
  const nodes = {
    start: { type: 'transform', output: 0, next: 'n1' },
    ...chained(drawn, ids, 'done'),
    done: end,
  };
  return checkedFlow(nodes, {
    state: { n: 0, last: null, rows: [{ v: 1 }, { v: [2, 3] }] },
    egress: ['api.example.com'],
    limits: { max_steps: 5000, max_model_calls: 1000, max_tokens: 1_000_000, timeout_seconds: 80_000 },
  });
}

interface Ids {
  count: number;
}

/**
 * The parts one after the other; the last leads to `after`, or ends the scope. Ids count up, so the first is
 * the next one to be given.
 */
function chained(drawn: readonly Part[], ids: Ids, after?: string): Record<string, object> {
  const nodes: Record<string, object> = {};
  for (const [index, part] of drawn.entries()) {
    const own = partNodes(part, ids);
    const last = Object.keys(own).at(-1) ?? '';
    const next = index + 1 < drawn.length ? `n${ids.count + 1}` : after;
    Object.assign(nodes, own, { [last]: { ...own[last], ...(next && { next }) } });
  }
  return nodes;
}

const id = (ids: Ids) => `n${++ids.count}`;

/** Ends with the node that leads on. */
function partNodes(part: Part, ids: Ids): Record<string, object> {
  const own = id(ids);
  switch (part.kind) {
    case 'transform':
      return {
        [own]: { type: 'transform', output: { seen: '{{ state.n }}', before: `{{ nodes.${own} }}` } },
      };
    case 'rows':
      return { [own]: { type: 'transform', output: '{{ state.rows.v }}' } };
    case 'count':
      return {
        [own]: { type: 'transform', output: '{{ state.n + 1 }}', assign: { n: `{{ nodes.${own} }}` } },
      };
    case 'llm':
      return { [own]: { type: 'llm', prompt: `${own} {{ state }}` } };
    case 'agent':
      return { [own]: { type: 'agent', instructions: `${own} {{ state.n * 2 }}`, tools: [lookUp(own)] } };
    case 'flow':
      return { [own]: { type: 'flow', flowid: 'called', message: `${own} {{ state.n }}` } };
    case 'reply':
      return { [own]: { type: 'reply', text: '{{ state.n }}' } };
    case 'ask':
      return { [own]: { type: 'ask', prompt: 'n is {{ state.n }}', assign: { last: '{{ answer }}' } } };
    case 'wait':
      return { [own]: { type: 'wait', seconds: 30 } };
    case 'http':
      return httpNodes(own, part, ids);
    case 'loop':
      return loopNodes(own, part, ids);
    case 'parallel':
      return {
        [own]: {
          type: 'parallel',
          join: part.join,
          ...withMerge(part.branches.flat()),
          branches: readBranches(part.branches, ids),
        },
      };
    case 'map': {
      const body = { start: `n${ids.count + 1}`, nodes: chained(part.parts, ids) };
      const items = Array.from({ length: part.items }, (_, n) => n);
      const node = { type: 'map', items, body, max_concurrency: part.width, on_error: part.onError };
      return { [own]: { ...node, ...withMerge(part.parts) } };
    }
  }
}

/** For scopes that count. */
const withMerge = (inside: readonly Part[]) =>
  inside.some(({ kind }) => kind === 'count') ? { merge: { n: 'sum' } } : {};

/** Its arguments are checked against a pattern. */
const lookUp = (own: string) => ({
  name: 'look_up',
  description: 'Looks something up.',
  parameters: { type: 'object', properties: { id: { type: 'string', pattern: '^[a-z]+$' } } },
  http: { url: `https://api.example.com/${own}/{{ args.id }}` },
});

/** What nodes of type `flow` call. */
const called = {
  upper: { type: 'transform', output: '{{ $uppercase(input.message) }}', next: 'done' },
  done: { type: 'end', output: { text: '{{ nodes.upper }}' } },
};

function httpNodes(
  own: string,
  { retries, catches }: Part & { kind: 'http' },
  ids: Ids,
): Record<string, object> {
  const after = id(ids);
  const node = {
    type: 'http',
    url: `https://api.example.com/${own}/{{ state.n }}`,
    ...(retries && { retry: { max_attempts: 2, delay_ms: 0, on: ['http.5xx'] } }),
    ...(catches && {
      catch: [{ on: ['http.*'], next: after, assign: { last: `{{ nodes.${own}.error.code }}` } }],
    }),
    next: after,
  };
  return { [own]: node, [after]: { type: 'transform', output: `{{ nodes.${own} }}` } };
}

function loopNodes(own: string, part: Part & { kind: 'loop' }, ids: Ids): Record<string, object> {
  const count = `rounds_${own}`;
  const [first, more, after] = [`n${ids.count + 1}`, `${own}_more`, `${own}_after`];
  return {
    [own]: { type: 'transform', output: 0, assign: { [count]: 0 }, next: first },
    ...chained(part.parts, ids, `${own}_count`),
    [`${own}_count`]: {
      type: 'transform',
      output: 1,
      assign: { [count]: `{{ state.${count} + 1 }}` },
      next: more,
      max_visits: part.most,
      on_max_visits: after,
    },
    [more]: {
      type: 'switch',
      cases: [{ when: `{{ state.${count} < ${part.times} }}`, next: first }],
      default: after,
    },
    [after]: { type: 'transform', output: `{{ state.${count} }}` },
  };
}

const readBranches = (branches: readonly (readonly Part[])[], ids: Ids) =>
  Object.fromEntries(
    branches.map((branch, index) => [
      `b${index}`,
      { start: `n${ids.count + 1}`, nodes: chained(branch, ids) },
    ]),
  );

/**
 * The same answer to the same question in whatever process it is put, after as many turns of the queue as
 * `delay` says.
 */
export function scriptWith(delay: (key: string) => number): Script {
  const later = async <T>(key: string, value: T): Promise<T> => {
    for (let turn = 0; turn < delay(key); turn++) await undefined;
    return value;
  };
  const flow = compileFlow(checkedFlow(called));
  return {
    http: async ({ url }: HttpRequest, { attempt, visit }: NodeCall) => {
      const status = [200, 404, 503, 404][(hash(url) + attempt) % 4] ?? 200;
      return await later(url, httpAnswer(status, { url, visit }));
    },
    model: async (request: ModelRequest) => await later(JSON.stringify(request), answerTo(request)),
    flows: async ({ flowid }: FlowRequest) => await later(flowid, { flow, flowid, build: 'b1', env: {} }),
  };
}

/** Who has tools uses one of them first. */
function answerTo({ tools, messages }: ModelRequest): ModelAnswer {
  const text = JSON.stringify(messages);
  const [tool] = messages.some(({ role }) => role === 'tool') ? [] : (tools ?? []);
  if (!tool) return modelAnswer(text.length);
  return { ...modelAnswer(''), tool_calls: [{ id: 'call', name: tool.name, arguments: { id: 'x' } }] };
}

export const hash = (text: string) =>
  [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 997, 7);
