// The fields of a node of each type, by a small number. A type without a recipe fails the test.
import { detections } from '#lib/flow/format/detection.ts';
import type { NodeTypeName } from './parts.ts';

export interface Surroundings {
  readonly id: string;
  readonly pick: number;
  /** Text that differs between the items around the node: `{{ item }}`, or nothing outside of maps. */
  readonly item: string;
  /** Whether expressions may read the time: scopes beside each other make it depend on who is faster. */
  readonly hasTime: boolean;
}

type Fields = Readonly<Record<string, unknown>>;
type Recipe = (around: Surroundings) => Fields;

/** One of the values, and what is left of the number for the next choice. */
const choose = <T>(values: readonly T[], pick: number, step = 1): T =>
  values[Math.floor(pick / step) % values.length] as T;

const has = (pick: number, bit: number): boolean => (pick & (1 << bit)) !== 0;

const api = 'https://api.example.com';

const values = ({ id, hasTime }: Surroundings): readonly unknown[] => [
  { seen: '{{ state.n }}', before: `{{ nodes.${id} }}` },
  '{{ state.rows.v }}',
  '{{ state.n + 1 }}',
  'n is {{ state.n }}\n',
  [1, '{{ $count(state.rows) }}', { deep: { list: ['{{ input.message }}'] } }],
  '{{ $sum(state.rows[n > 0].n) }}',
  '{{ $number("x") }}',
  '{{ state.nothing.here }}',
  '{{ $map([1..5], function($i) { $i * state.n }) }}',
  '{{ $parse("{\\"big\\": 12345678901234567890}") }}',
  '{{ $error("asked for") }}',
  hasTime ? '{{ $uuid() & $string($random()) }}' : '{{ $keys(state) }}',
  '{{ $hash("sha256", "中") & $base64encode("中") }}',
  hasTime ? '{{ $now() }}' : '{{ run.turn }}',
  '{{ $pad("x", 300000) }}',
];

const objectSchema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };

const settings = (pick: number): Fields => ({
  ...(has(pick, 6) && { max_tokens: 100 }),
  ...(has(pick, 7) && { model: choose(['main', 'spare'], pick) }),
});

const conversation = ({ id, item }: Surroundings): Fields => ({
  conversation: { key: `${id}/${item}`, turns: 20 },
});

/** Checks that let texts pass, change or block them, and flows that are no checks. */
const guardrails = (pick: number): Fields => {
  const blocking = { pattern: choose(['said [0-9]$', 'state', '1'], pick), message: 'No.' };
  const redacting = { pattern: '[0-9]', action: 'redact', replacement: '0' };
  const detecting = { detect: choose(detections, pick), action: 'redact' };
  const asking = { flow: choose(guardFlows, pick, 3) };
  const checks = choose(
    [[redacting, detecting], [redacting, asking], [asking], [blocking, redacting]],
    pick,
    1,
  );
  return { guardrails: choose([{ input: checks }, { output: checks }], pick, 4) };
};

const guardFlows = ['checking', 'checking', 'failing', 'asking', 'none'] as const;

const llm: Recipe = (around) => {
  const { id, pick, item } = around;
  const said = `${id} ${item} {{ state.n }}`;
  const isObject = has(pick, 3);
  return {
    ...(pick % 3 === 0
      ? { messages: [{ role: 'user', content: said }] }
      : { prompt: said, ...(has(pick, 5) && conversation(around)) }),
    ...(isObject ? { output_schema: objectSchema } : { stream: has(pick, 4) }),
    ...(has(pick, 8) && { on_cut: 'fail' }),
    ...(pick % 7 < 3 && guardrails(pick)),
    ...settings(pick),
  };
};

const parameters = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', pattern: '^[a-z]+$' } },
};

const tools = (around: Surroundings): readonly Fields[] => {
  const { id, pick, item } = around;
  const approval = has(pick, 9) ? { approval: 'always' } : {};
  return [
    {
      name: 'look_up',
      description: 'Looks something up.',
      parameters,
      http: { url: `${api}/${id}/{{ args.id }}` },
      ...approval,
      ...(has(pick, 5) && { assign: { last: '{{ result.body }}' } }),
      ...(has(pick, 8) && { ends: true }),
    },
    { mcp: `${api}/mcp`, name: 'kb', ...(has(pick, 6) && { optional: true }) },
    { name: 'run_flow', description: 'Runs a flow.', flow: choose(flows, pick), ...approval },
    { name: 'ask_agent', description: 'Asks an agent.', a2a: `${api}/agent-${id}/${item ? 'i' : 's'}` },
    { name: 'find_agent', description: 'Finds an agent.', discover: { q: 'any' } },
    { ask_user: choose([{}, { choices: ['yes', 'no'] }, { max_questions: 1 }], pick) },
    { say: {} },
  ];
};

const flows = ['upper', 'asking', 'failing', 'recursive', 'waiting', 'none'] as const;

const agent: Recipe = (around) => {
  const { id, pick, item } = around;
  const used = tools(around).filter((_, index) => (pick + index * 37) % 5 < 2);
  const answersObject = has(pick, 2);
  return {
    instructions: `${id} {{ state.n }}`,
    input: `${id} ${item} {{ input.message }}`,
    ...(used.length > 0 && { tools: used }),
    ...(answersObject && { output_schema: objectSchema }),
    ...(has(pick, 3) && { max_turns: 2, on_max_turns: choose(['fail', 'answer'], pick) }),
    ...(has(pick, 4) && { capture: { fact: { description: 'A fact.', schema: { type: 'integer' } } } }),
    ...(has(pick, 0) && used.length > 0 && { tool_choice: choose(['required', 'none', 'auto'], pick, 2) }),
    ...(has(pick, 1) && {
      agents: [
        {
          name: 'helper',
          description: 'Helps.',
          instructions: `helps ${id}`,
          tools: [
            {
              name: 'look_up',
              description: 'Looks up.',
              parameters,
              http: { url: `${api}/h/{{ args.id }}` },
            },
          ],
        },
      ],
    }),
    ...(has(pick, 7) && conversation(around)),
    ...(pick % 7 < 3 && guardrails(pick)),
    ...settings(pick & 64),
    ...callLimit,
  };
};

const http: Recipe = ({ id, pick, item }) => {
  const method = choose(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'], pick);
  const bodies = [
    { body: { n: '{{ state.n }}' } },
    { body: 'text {{ state.n }}' },
    { body: { a: 1, b: ['x', 'y'] }, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    { body: { a: 'b' }, headers: { 'content-type': 'multipart/form-data' } },
    { body_base64: '{{ $base64encode("中") }}' },
    { body_base64: 'no base64 {{ state.n }}' },
    { body_file: '{{ state.n }}' },
  ];
  const isRead = method === 'GET' || method === 'HEAD';
  const savesFile = method !== 'HEAD' && has(pick, 10);
  return {
    method,
    url: has(pick, 9) ? `{{ "${api}/${id}/" & state.n }}` : `${api}/${id}/${item}/{{ state.n }}`,
    ...(!isRead && choose(bodies, pick, 6)),
    ...(savesFile
      ? { save: choose([true, { name: '{{ state.n }}' }], pick) }
      : {
          ...(has(pick, 3) && { response: choose(['text', 'base64', 'json'], pick) }),
          ...(has(pick, 4) && { select: '{{ body.visit }}' }),
        }),
    ...(has(pick, 5) && { accept: choose([[200, 404], ['2xx', '5xx'], [204]], pick) }),
    ...(has(pick, 6) && { max_concurrency: 1 }),
    ...(has(pick, 7) && { query: { q: '{{ state.n }}', missing: '{{ state.nothing }}' } }),
    ...(has(pick, 8) && { response_headers: ['x-part'] }),
  };
};

const mcp: Recipe = ({ id, pick, item }) => ({
  server: `${api}/mcp`,
  tool: choose(['search', 'save'], pick),
  arguments: choose([{ id: `${id} ${item}` }, '{{ state.rows }}', '{{ {"n": state.n} }}'], pick, 2),
});

const a2a: Recipe = ({ id, pick, item }) => ({
  ...(pick % 4 === 0 ? { discover: { q: 'any' } } : { agent: `${api}/agent-${id}/${item ? 'i' : 's'}` }),
  ...choose([{ message: `${id} ${item} {{ state.n }}` }, { data: { n: '{{ state.n }}' } }], pick),
  ...(has(pick, 3) && { context_id: null }),
  ...callLimit,
});

/** Longer than all that a call waits for, shorter than a run: a call that hangs ends with it. */
const callLimit = { timeout_seconds: 900 };

const flow: Recipe = ({ id, pick, item }) => ({
  flowid: choose(flows, pick),
  message: `${id} ${item} {{ state.n }}`,
  ...(has(pick, 4) && { user_variables: choose([{ n: '{{ state.n }}' }, '{{ state.rows }}'], pick, 8) }),
  ...(has(pick, 5) && { stream: true }),
});

/** Keys differ between nodes and items, so that scopes beside each other share no value. */
const store: Recipe = ({ id, pick, item }) => {
  const key = `${id}/${item}`;
  return choose<Fields>(
    [
      { put: key, value: { n: '{{ state.n }}' } },
      { get: key },
      { put: key, value: 1, if_version: null },
      { delete: key },
      { put: key, value: 'x', if_version: '{{ state.n }}' },
      { get: '{{ state.nothing }}' },
      { put: key, value: '{{ $pad("x", 40000) }}', keep_days: 1 },
    ],
    pick,
  );
};

const code: Recipe = (around) => ({
  code: 'return input;',
  input: choose(values({ ...around, hasTime: false }), around.pick),
});

const ask: Recipe = ({ pick }) => ({
  prompt: 'n is {{ state.n }}',
  ...(has(pick, 1) && {
    choices: choose<unknown>([['yes', 'no'], '{{ state.rows }}', '{{ ["yes"] }}'], pick, 4),
  }),
  ...(!has(pick, 1) && has(pick, 2) && { schema: { type: 'string', minLength: 1 } }),
  ...(has(pick, 3) && { timeout_seconds: 40 }),
  ...(has(pick, 4) && { assign: { last: '{{ answer }}' } }),
});

/** Events named `never` are not sent (`drive.ts`). Data that does not fit is no integer. */
const wait: Recipe = ({ id, pick, item }) =>
  choose<Fields>(
    [
      { event: 'paid', key: `${id}/${item}` },
      {
        event: 'paid',
        key: `${id} {{ state.n }}`,
        timeout_seconds: 40,
        schema: { type: 'object', properties: { n: { type: 'integer' } } },
      },
      { event: 'paid', key: '{{ state.nothing }}' },
      { event: 'never', key: '{{ 6 * 7 }}', timeout_seconds: 40 },
      { seconds: 30 },
      { seconds: 0 },
      { seconds: '{{ state.n }}' },
      { until: '2026-11-21T09:00:30Z' },
      { until: '2020-01-01T00:00:00Z' },
      { until: '{{ state.nothing }}' },
    ],
    pick,
  );

const reply: Recipe = ({ id, pick }) => ({
  ...choose<Fields>(
    [
      { text: '{{ state.n }}' },
      { data: { n: '{{ state.n }}' } },
      { file: { raw: '{{ $base64encode("x") }}', filename: 'x.txt' } },
      { file: { raw: 'no base64 {{ state.n }}' } },
      { text: 'part', artifact: { artifact_id: `{{ "${id}" }}`, append: true } },
      { text: 'x', artifact: { artifact_id: '{{ state.nothing }}' } },
    ],
    pick,
  ),
  ...(pick % 6 < 4 && has(pick, 5) && { as: 'status' }),
});

const transform: Recipe = (around) => ({
  output: choose(values(around), around.pick),
  ...(has(around.pick, 5) && {
    assign: { n: choose(['{{ state.n + 1 }}', 7, '{{ $number("y") }}'], around.pick, 64) },
  }),
});

/** These lead elsewhere, or nowhere; `nodes.ts` adds where. */
const lead: Recipe = () => ({});

const fail: Recipe = ({ pick }) => ({
  message: 'failed at {{ state.n }}',
  ...(has(pick, 0) && { code: 'asked_for' }),
});

const end: Recipe = ({ pick }) => ({
  output: choose<unknown>(['{{ state }}', { n: '{{ state.n }}' }, '{{ state.n }}'], pick),
  ...(has(pick, 2) && { artifacts: [{ name: 'a', text: 'n is {{ state.n }}' }], message: 'done' }),
});

export const recipes = {
  llm,
  agent,
  http,
  mcp,
  a2a,
  flow,
  transform,
  code,
  store,
  switch: lead,
  parallel: lead,
  map: lead,
  ask,
  wait,
  reply,
  fail,
  end,
} as const satisfies Partial<Record<NodeTypeName, Recipe>>;

export const findRecipe = (type: NodeTypeName): Recipe => recipes[type];
