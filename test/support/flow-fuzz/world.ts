// Everything outside of a generated run: servers, models, other agents, other flows, and the store. It is the same for
// all processes that execute the run, answers a request that is repeated as it did before, and outlives each of them.

import { checkFlow } from '#lib/flow/check/check-flow.ts';
import { compileFlow } from '#lib/flow/definition/compile.ts';
import type { FlowRequest, FoundFlow } from '#lib/flow/engine/node-context.ts';
import type { AgentAnswer, AgentRequest } from '#lib/flow/ports/agent.ts';
import type { HttpAnswer, HttpRequest } from '#lib/flow/ports/http.ts';
import type { StoredValue, StoreKey, StoreWrite } from '#lib/flow/ports/store.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { hash, toError } from './faults.ts';
import type { Timeline } from './timeline.ts';

export interface World {
  readonly timeline: Timeline;
  readonly salt: number;
  readonly values: Map<string, StoredValue>;
  readonly tasks: Map<string, RemoteWork>;
  /** What the caller of the run has received, once each. */
  readonly replies: Set<string>;
}

interface RemoteWork {
  readonly doneAt: number;
  readonly answer: AgentAnswer;
}

export const createWorld = (salt: number, startedAt: number): World => ({
  timeline: { now: startedAt },
  salt,
  values: new Map(),
  tasks: new Map(),
  replies: new Set(),
});

export function respond(
  { method, url, save, response }: HttpRequest,
  { key, isBad }: { readonly key: string; readonly isBad: boolean },
  { salt }: World,
): HttpAnswer {
  const drawn = hash(key, salt);
  const headers = {
    'content-type': 'application/json',
    'x-part': 'one',
    ...(isBad && { 'retry-after': '2' }),
  };
  const status = isBad
    ? ([400, 404, 409, 429, 500, 503][drawn % 6] ?? 500)
    : ([200, 201, 204][drawn % 3] ?? 200);
  const content = { url, visit: drawn % 13 };
  const body = method === 'HEAD' || status === 204 ? null : readAs(isBad ? 'json' : response, content);
  if (save && !isBad) {
    const file = { file: `file_${save.key}`, name: save.name ?? 'x', media_type: 'image/png', bytes: 1 };
    return { status, headers, body: null, file: status === 204 ? null : file };
  }
  return { status, headers, body, ...(drawn % 7 === 0 && { kept: 1 }) };
}

function readAs(form: HttpRequest['response'], content: JsonObject): Json {
  if (form === 'json') return content;
  const text = JSON.stringify(content);
  if (form === 'text') return text;
  const bytes = Buffer.from(text);
  return { base64: bytes.toString('base64'), media_type: 'application/json', size: bytes.length };
}

const storeName = ({ space, key }: StoreKey) => `${space} ${key}`;

export const readValue = (key: StoreKey, { values }: World) => values.get(storeName(key));

/** As `lib/run/stored-value.ts`: a write that is repeated succeeds again. */
export function writeValue(
  { value, ifVersion, writer, ...key }: StoreWrite,
  { values }: World,
): string | undefined {
  const name = storeName(key);
  const current = values.get(name)?.version ?? null;
  const fits = ifVersion === undefined || ifVersion === current;
  if (value === undefined) {
    if (!fits && current !== null) return undefined;
    values.delete(name);
    return '';
  }
  const version = `by ${writer}`;
  if (!fits) return current === version ? version : undefined;
  values.set(name, { value: JSON.parse(JSON.stringify(value)), version });
  return version;
}

/** A message that is sent again finds the task that it has started. */
export function receiveMessage(request: AgentRequest, attempt: number, world: World): string {
  const id = `task-${hash(`${request.key} ${attempt}`, 0)}`;
  if (!world.tasks.has(id)) world.tasks.set(id, startWork(request, id, world));
  return id;
}

function startWork({ key, agent, task_id }: AgentRequest, id: string, { salt, timeline }: World): RemoteWork {
  const drawn = hash(`${agent} ${key}`, salt);
  const isAsking = task_id === undefined && drawn % 5 === 0;
  const state = isAsking
    ? 'input_required'
    : ((['completed', 'completed', 'completed', 'failed', 'rejected', 'canceled', 'auth_required'] as const)[
        drawn % 7
      ] ?? 'completed');
  const used = { steps: drawn % 3, modelCalls: drawn % 2, tokens: drawn % 5 };
  return {
    doneAt: timeline.now + ((drawn >>> 9) % 3) * 40_000,
    answer: {
      state,
      task_id: id,
      context_id: `context-${hash(agent, salt)}`,
      text: state === 'completed' ? `done ${drawn % 31}` : 'what now?',
      ...(drawn % 2 === 0 && { data: { n: drawn % 3 } }),
      used,
    },
  };
}

const called = (nodes: Readonly<Record<string, unknown>>): FoundFlow['flow'] => {
  const start = Object.keys(nodes)[0];
  const checked = checkFlow({ version: 1, name: 'Called', start, egress: ['api.example.com'], nodes });
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors));
  return compileFlow(checked.flow);
};

const done = { type: 'end', output: { text: '{{ nodes }}' } };
const request = { type: 'http', url: 'https://api.example.com/called/{{ input.message }}', next: 'done' };

/** By their ids, of which `none` is none. */
const calledFlows: Readonly<Record<string, FoundFlow['flow']>> = {
  upper: called({
    upper: { type: 'transform', output: '{{ $uppercase(input.message) }}', next: 'done' },
    done,
  }),
  asking: called({
    ask: { type: 'ask', prompt: 'for {{ input.message }}', next: 'get' },
    get: request,
    done,
  }),
  failing: called({
    get: { ...request, next: 'no' },
    no: { type: 'fail', message: 'as always', code: 'called' },
  }),
  recursive: called({ again: { type: 'flow', flowid: 'recursive', next: 'done' }, done }),
  checking: called({
    get: { ...request, next: 'verdict' },
    verdict: {
      type: 'end',
      output: { allowed: '{{ $length(input.message) % 4 > 0 }}', text: '{{ $lowercase(input.message) }}' },
    },
  }),
  waiting: called({ wait: { type: 'wait', seconds: 30, next: 'get' }, get: request, done }),
};

/** Throws `flow.not_found`. */
export function findFlow({ flowid, build }: FlowRequest): FoundFlow {
  const flow = calledFlows[flowid];
  if (!flow) throw toError('flow.not_found');
  if (build !== undefined && build !== 'b1') throw new Error(`Another build is asked for: ${build}.`);
  return { flow, flowid, build: 'b1', env: {} };
}
