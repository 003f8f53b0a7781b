// A flow of 16 KB as people write them, for what it costs to store one: most of it are instructions for models, in prose
// that repeats itself no more than prose does, and the rest are nodes of several types. Its text is the licence of this
// repository, because that never changes.
import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '#lib/json/json.ts';

const licence = readFileSync(new URL('../../LICENSE', import.meta.url), 'utf8').replace(/\s+/g, ' ');
const desks = [
  ...['billing', 'shipping', 'returns', 'warranty', 'accounts', 'privacy'],
  ...['orders', 'partners', 'careers', 'press', 'security', 'feedback'],
] as const;
const proseCharacters = 725;

/** JSON of 16 to 17 KB, with 50 nodes. */
export const sixteenKilobytes: JsonObject = {
  version: 1,
  name: 'Service desk',
  start: 'classify',
  egress: ['crm.shop.example', 'orders.shop.example'],
  nodes: {
    classify: {
      type: 'llm',
      system: 'Decide which desk the message of the customer is for. Answer with its name alone.',
      prompt: '{{ input.message }}',
      output_schema: {
        type: 'object',
        required: ['desk', 'urgency'],
        properties: { desk: { enum: [...desks] }, urgency: { type: 'integer', minimum: 1, maximum: 5 } },
      },
      next: 'route',
    },
    route: {
      type: 'switch',
      cases: desks.map((desk) => ({ when: `{{ nodes.classify.desk = "${desk}" }}`, next: `${desk}_lookup` })),
      default: 'done',
    },
    ...Object.fromEntries(desks.flatMap(deskNodes)),
    done: { type: 'end', output: '{{ state.answer }}' },
  },
};

function deskNodes(desk: string, n: number): [string, Json][] {
  const host = n % 2 === 0 ? 'crm.shop.example' : 'orders.shop.example';
  return [
    [
      `${desk}_lookup`,
      {
        type: 'http',
        url: `https://${host}/v2/${desk}/{{ input.user_variables.customer_id }}`,
        query: { fields: ['status', 'history', `${desk}_notes`], limit: 10 + n },
        next: `${desk}_answer`,
      },
    ],
    [
      `${desk}_answer`,
      {
        type: 'llm',
        system: licence.slice(n * proseCharacters, (n + 1) * proseCharacters),
        prompt: `{{ input.message }} Known about the customer: {{ nodes.${desk}_lookup.body }}`,
        temperature: 0.2,
        next: `${desk}_keep`,
      },
    ],
    [
      `${desk}_keep`,
      {
        type: 'transform',
        output: `{{ nodes.${desk}_answer }}`,
        assign: { answer: `{{ nodes.${desk}_keep }}` },
        next: 'done',
      },
    ],
  ];
}
