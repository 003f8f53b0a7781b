// Turns the parts of a generated flow into its nodes. The flow returns all its outputs and variables, so that no value
// can be lost unseen.
import type { MergeRule } from '#lib/flow/nodes/merge-field.ts';
import {
  type FlowPlan,
  type Handling,
  hasRemoteTasks,
  isConcurrent,
  type Leaf,
  type Merging,
  type Part,
} from './parts.ts';
import { findRecipe } from './recipes.ts';

type Nodes = Record<string, Readonly<Record<string, unknown>>>;

interface Scope {
  readonly ids: { count: number };
  readonly depth: number;
  readonly item: string;
  readonly hasTime: boolean;
}

export function toFlow({ parts, limit }: FlowPlan) {
  const hasTime = !isConcurrent(parts) && !hasRemoteTasks(parts);
  const scope: Scope = { ids: { count: 0 }, depth: 0, item: '', hasTime };
  return {
    version: 1,
    name: 'Generated',
    state: {
      n: 0,
      last: null,
      fact: null,
      rows: [
        { v: 1, n: 2 },
        { v: [2, 3], n: 4 },
      ],
    },
    egress: ['api.example.com'],
    models: {
      main: { model: 'first', fallback: 'spare' },
      spare: { model: 'second' },
    },
    limits: { ...(tightLimits[limit] ?? wideLimits), timeout_seconds: 80_000 },
    start: 'begin',
    nodes: {
      begin: { type: 'transform', output: 0, next: 'n1' },
      ...chained(parts, scope, 'done'),
      done: { type: 'end', output: { nodes: '{{ nodes }}', state: '{{ state }}' } },
    },
  };
}

const wideLimits = { max_steps: 5000, max_model_calls: 1000, max_tokens: 1_000_000 };

const tightLimits: readonly object[] = [
  { ...wideLimits, max_steps: 4 },
  { ...wideLimits, max_model_calls: 1 },
  { ...wideLimits, max_tokens: 30 },
  { ...wideLimits, max_depth: 1 },
];

export const hasTightLimits = ({ limit }: FlowPlan) => limit < tightLimits.length;

/** The parts one after the other; the last leads to `after`, or ends the scope. Ids count up. */
function chained(parts: readonly Part[], scope: Scope, after?: string): Nodes {
  const nodes: Nodes = {};
  for (const [index, part] of parts.entries()) {
    const own = toNodes(part, scope);
    const last = Object.keys(own).at(-1) ?? '';
    const next = index + 1 < parts.length ? `n${scope.ids.count + 1}` : after;
    Object.assign(nodes, own, { [last]: { ...own[last], ...(next && { next }) } });
  }
  return nodes;
}

/** Ends with the node that leads on. */
function toNodes(part: Part, scope: Scope): Nodes {
  const id = `n${++scope.ids.count}`;
  switch (part.kind) {
    case 'leaf':
      return leafNodes(id, part, scope);
    case 'loop':
      return loopNodes(id, part, scope);
    case 'parallel': {
      const inner = { ...scope, depth: scope.depth + 1 };
      const branches = Object.fromEntries(
        part.branches.map((branch, index) => [`b${index}`, inside(`${id}_b${index}`, branch, part, inner)]),
      );
      const node = { type: 'parallel', join: part.join, branches, ...mergeOf(id, part) };
      return handled(id, node, part, scope);
    }
    case 'map': {
      const inner = { ...scope, depth: scope.depth + 1, item: '{{ item }}' };
      const items = Array.from({ length: part.items }, (_, n) => `${scope.item}.${n}`);
      const body = inside(id, part.parts, part, inner);
      const { width: max_concurrency, onError: on_error } = part;
      const node = { type: 'map', items, body, max_concurrency, on_error, ...mergeOf(id, part) };
      return handled(id, node, part, scope);
    }
  }
}

/** A branch or the body of a map. With a merge it begins with the node that sets the variable. */
function inside(id: string, parts: readonly Part[], { merge }: Merging, scope: Scope) {
  const first = `n${scope.ids.count + 1}`;
  if (!merge) return { start: first, nodes: chained(parts, scope) };
  const [variable] = id.split('_');
  const set = { type: 'transform', output: 0, assign: { [`merged_${variable}`]: mergedValues[merge] } };
  return { start: `${id}_set`, nodes: { [`${id}_set`]: { ...set, next: first }, ...chained(parts, scope) } };
}

const mergeOf = (id: string, { merge }: Merging) => merge && { merge: { [`merged_${id}`]: merge } };

/** Text is no sum: such branches fail with `merge.wrong_type`. */
const mergedValues: Readonly<Record<MergeRule, unknown>> = {
  append: '{{ [state.n, "one"] }}',
  sum: `{{ $type(state.last) = "null" ? state.n : "no number" }}`,
  min: '{{ state.n }}',
  max: '{{ state.n }}',
  merge: { of: '{{ state.n }}' },
  last: '{{ state.n }}',
};

/** Types that nothing follows are led to by a `switch`, beside what follows. */
function leafNodes(id: string, part: Leaf, scope: Scope): Nodes {
  const { type, pick } = part;
  const { item, hasTime } = scope;
  const around = { id, pick, item, hasTime };
  const after = `${id}_after`;
  const follow = { [after]: { type: 'transform', output: `{{ nodes.${id} }}` } };
  if (type === 'switch') return { [id]: choice(pick, after, after), ...follow };
  if (type === 'end' && scope.depth > 0) return leafNodes(id, { ...part, type: 'transform' }, scope);
  if (type === 'end' || type === 'fail') {
    const last = { [`${id}_last`]: { type, ...findRecipe(type)(around) } };
    return { [id]: choice(pick >> 1, `${id}_last`, after), ...last, ...follow };
  }
  const node = { type, ...findRecipe(type)(around) };
  const isPausing = type === 'ask' || type === 'wait';
  const isExpiring = isPausing && 'timeout_seconds' in node && (pick & 64) !== 0;
  if (isExpiring) return { [id]: { ...node, on_timeout: after, next: after }, ...follow };
  return handled(id, node, { catches: part.catches, retries: part.retries && !isPausing }, scope);
}

const conditions = [
  '{{ state.n % 2 = 0 }}',
  '{{ state.nothing.here }}',
  '{{ state.n > 0 }}',
  '{{ state.n }}',
];

const choice = (pick: number, next: string, otherwise: string) => ({
  type: 'switch',
  cases: [{ when: conditions[pick % conditions.length], next }],
  default: otherwise,
});

/** With `catch`, both ways lead to a node that reads the output. */
function handled(id: string, node: object, { retries, catches }: Handling, { ids }: Scope): Nodes {
  const retry = retries && {
    retry: { max_attempts: 2, delay_ms: [0, 2_000, 50_000][ids.count % 3], on: ['*'] },
  };
  if (!catches) return { [id]: { ...node, ...retry } as Nodes[string] };
  const after = `${id}_after`;
  const caught = [{ on: ['*'], next: after, assign: { last: `{{ nodes.${id}.error.code }}` } }];
  return {
    [id]: { ...node, ...retry, catch: caught, next: after } as Nodes[string],
    [after]: { type: 'transform', output: `{{ nodes.${id} }}` },
  };
}

function loopNodes(id: string, part: Part & { kind: 'loop' }, scope: Scope): Nodes {
  const count = `rounds_${id}`;
  const [first, more, after] = [`n${scope.ids.count + 1}`, `${id}_more`, `${id}_after`];
  return {
    [id]: { type: 'transform', output: 0, assign: { [count]: 0 }, next: first },
    ...chained(part.parts, scope, `${id}_count`),
    [`${id}_count`]: {
      type: 'transform',
      output: 1,
      ...(part.visits < part.times && {
        max_visits: part.visits,
        ...(part.leadsOn && { on_max_visits: after }),
      }),
      assign: { [count]: `{{ state.${count} + 1 }}` },
      next: more,
    },
    [more]: {
      type: 'switch',
      cases: [{ when: `{{ state.${count} < ${part.times} }}`, next: first }],
      default: after,
    },
    [after]: { type: 'transform', output: `{{ state.${count} }}` },
  };
}
