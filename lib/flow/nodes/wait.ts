// `wait`: pauses until a time, which may be later than any process lives. Its output is `{until}`.
import * as z from 'zod';
import type { Json } from '#lib/json/json.ts';
import { lazy } from '#lib/lazy.ts';
import type { NodeContext } from '../engine/node-context.ts';
import { type Render, typedTemplate } from '../expression/template.ts';
import { limits } from '../format/limits.ts';
import { NodeError } from '../format/node-error.ts';
import { onward, pausingNode } from '../format/node-fields.ts';
import { exactlyOne, narrowed, ruled } from '../format/notes.ts';
import { hasTemplate } from '../format/template-segments.ts';
import { oneExpression } from './expression-field.ts';
import type { NodeType } from './node-type.ts';

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
              'Seconds to wait: a number, or one expression that gives a number. Either this or `until`.',
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
      })
      .meta({ description: 'Continues after a time, which may be days; the output is `{until}`.' }),
    [exactlyOne('seconds', 'until')],
  ),
);

type WaitNode = z.infer<ReturnType<typeof waitSchema>>;

export const wait: NodeType<WaitNode> = {
  templates: ['seconds', 'until'],
  pauses: () => true,
  prepare: (node) => {
    const end = prepareEnd(node);
    return async (context) => {
      const until = typeof context.memory === 'string' ? context.memory : await end(context);
      const isOver = context.isDue || Date.parse(until) <= context.now();
      return isOver ? { output: { until } } : { pause: { kind: 'until', at: until }, memory: until };
    };
  },
};

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
