// `wait`: pauses until a time, which may be later than any process lives, or until an event is sent. Its output is
// `{until}`, or the event.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { lazy, lazyModule } from '#lib/lazy.ts';
import type { NodeContext, RunNode } from '../engine/node-context.ts';
import { type Render, typedTemplate } from '../expression/template.ts';
import { eventNameExpected, eventNamePattern } from '../format/event-name.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { jsonSchema, nodeId, onward, pausingNode } from '../format/node-fields.ts';
import { type FieldRule, narrowed, needs, ruled } from '../format/notes.ts';
import { hasTemplate } from '../format/template-segments.ts';
import { oneExpression } from './expression-field.ts';
import type { NodeChecks, NodeType } from './node-type.ts';
import { prepareLater } from './prepare-later.ts';

/** Loaded only for flows that have a `wait`. */
export const eventWaits = lazyModule(() => import('./run-event-wait.ts'));

const oneReason: FieldRule = {
  kind: 'exactlyOne',
  names: ['seconds', 'until', 'event'],
  detail: 'expected exactly one of `seconds`, `until` and `event`',
  at: [],
};

/** Of a wait for an event. */
const eventFields = /* @__PURE__ */ lazy(() => ({
  event: z
    .string()
    .regex(eventNamePattern, eventNameExpected)
    .optional()
    .meta({
      description: 'Name of the event to wait for, together with `key`. Instead of `seconds` or `until`.',
      examples: ['payment.completed'],
    }),
  key: z
    .string()
    .min(1)
    .optional()
    .meta({
      description:
        'Selects the event among those of its name: only one that was sent with this key resumes the run; template.',
      examples: ['{{ input.user_variables.order_id }}'],
    }),
  schema: jsonSchema()
    .optional()
    .meta({ description: 'JSON Schema of the data of the event; other data fails the node.' }),
  timeout_seconds: z.number().positive().max(limits.pauseSecondsMax).optional().meta({
    description: 'Seconds to wait for the event, up to 30 days.',
    default: limits.pauseSecondsMax,
  }),
  on_timeout: nodeId().optional().meta({
    description:
      'Id of the node to continue with if the event is not sent in time; without it the node fails.',
  }),
}));

export const waitSchema = /* @__PURE__ */ lazy(() =>
  ruled(
    z
      .strictObject({
        type: z.literal('wait'),
        ...pausingNode(),
        ...onward(),
        seconds: z
          .union([
            z.number().min(0).max(limits.pauseSecondsMax),
            oneExpression('expected a number, or one expression that gives a number'),
          ])
          .optional()
          .meta({
            description:
              'Seconds to wait: a number, or one expression that gives a number. Instead of `until` or `event`.',
          }),
        until: narrowed(
          z.string().min(1),
          (until) => hasTemplate(until) || parseTime(until) !== undefined,
          `expected ${timeExample}, or an expression that gives one`,
          { anyOf: [{ pattern: timePattern.source }, { pattern: '\\{\\{' }] },
        )
          .optional()
          .meta({
            description: 'The time to wait for, with its UTC offset; template. Instead of `seconds`.',
            examples: ['2027-01-31T09:00:00Z'],
          }),
        ...eventFields(),
      })
      .meta({
        description:
          'Continues after a time, which may be days, or when an event is sent; the output is `{until}`, or the event.',
      }),
    [
      oneReason,
      needs('event', 'key', ['event']),
      needs('key', 'event', ['key']),
      needs('schema', 'event', ['schema']),
      needs('timeout_seconds', 'event', ['timeout_seconds']),
      needs('on_timeout', 'event', ['on_timeout']),
    ],
  ),
);

type WaitNode = z.infer<ReturnType<typeof waitSchema>>;

export const waitChecks: NodeChecks<WaitNode> = {
  check: (node, around, report) => {
    for (const { path, detail } of around.schemaProblems(node.schema)) report(['schema', ...path], detail);
  },
};

export const wait: NodeType<WaitNode> = {
  templates: ['seconds', 'until', 'key'],
  pauses: () => true,
  targets: ({ on_timeout }) => (on_timeout === undefined ? [] : [{ path: ['on_timeout'], id: on_timeout }]),
  prepare: (node, around) =>
    node.event === undefined ? prepareTimed(node) : prepareLater(eventWaits)(node, around),
};

function prepareTimed(node: WaitNode): RunNode {
  const end = prepareEnd(node);
  return async (context) => {
    const until = typeof context.memory === 'string' ? context.memory : await end(context);
    const isOver = context.isDue || Date.parse(until) <= context.now();
    return isOver ? { output: { until } } : { pause: { kind: 'until', at: until }, memory: until };
  };
}

const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;
const timeExample = 'a time such as "2027-01-31T09:00:00Z"';

function prepareEnd({ seconds, until }: WaitNode): (context: NodeContext) => Promise<string> {
  const render: Render = typedTemplate(seconds ?? until ?? null);
  return async ({ at, now }) => {
    const value = await render(at);
    const ms = seconds === undefined ? parseTime(value) : addSeconds(value, now());
    if (ms !== undefined && ms <= now() + limits.pauseSecondsMax * 1000) return new Date(ms).toISOString();
    const expected =
      seconds === undefined ? `until: expected ${timeExample}` : 'seconds: expected a number of 0 or more';
    throw new NodeError(
      'wait.bad_time',
      `${expected}, at most ${limits.pauseSecondsMax / 86_400} days ahead.`,
    );
  };
}

const addSeconds = (seconds: Json, now: number): number | undefined =>
  typeof seconds === 'number' && seconds >= 0 ? now + seconds * 1000 : undefined;

/** Requires an offset: a time without one would mean a different moment in each process. */
function parseTime(value: Json): number | undefined {
  const isTime = typeof value === 'string' && timePattern.test(value);
  const ms = isTime ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
