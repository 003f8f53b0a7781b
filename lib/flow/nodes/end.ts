// `end`: ends the run; its output is the run's response.
import * as z from 'zod';
import type { Json, JsonObject } from '#lib/json.ts';
import { wholeExpression } from '../expression/segments.ts';
import { template } from '../expression/template.ts';
import { isObject } from '../json-value.ts';
import { NodeError } from '../node-error.ts';
import { after, defineNode, everyNode, json } from './node-type.ts';

export const end = defineNode({
  schema: z.strictObject({ type: z.literal('end'), ...everyNode, output: json }),
  templates: ['output'],
  check: ({ output }, _around, report) => {
    if (isObject(output) || (typeof output === 'string' && wholeExpression(output) !== undefined)) return;
    report(
      ['output'],
      'expected an object, or one expression that gives an object: it is the response of the run',
    );
  },
  prepare: (node) => {
    const output = template(node.output);
    return ({ at }) =>
      after(output(at), (value) => ({ output: null, ending: { response: asResponse(value) } }));
  },
});

function asResponse(value: Json): JsonObject {
  if (isObject(value)) return value;
  const got = Array.isArray(value) ? 'an array' : value === null ? 'nothing' : `a ${typeof value}`;
  throw new NodeError('end.not_object', `output: expected an object, got ${got}.`);
}
