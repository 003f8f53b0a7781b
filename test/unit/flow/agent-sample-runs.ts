// Runs of the sample flows in which agents work, see `sample-runs.ts`. What a model says next follows from
// the conversation so far.

import { expect } from 'vitest';
import type { ModelAnswer, ModelRequest } from '#lib/flow/ports/model.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { createFlowPort, says, wants } from './agent/scripted-agents.ts';
import { sample } from './sample-flow.ts';
import type { SampleRun } from './sample-runs.ts';
import { httpAnswer } from './scripted.ts';

/** The answers to a conversation, one for each turn. */
const nth = ({ messages }: ModelRequest, ...turns: readonly ModelAnswer[]): ModelAnswer => {
  const turn = turns[messages.filter(({ role }) => role === 'assistant').length];
  if (turn) return turn;
  throw new Error('The script has no further turn.');
};

const readLast = ({ messages }: ModelRequest) => messages.at(-1)?.content ?? '';

/** The supervisor looks the order up and asks both workers; each of them has a conversation of its own. */
function orderDesk(request: ModelRequest): ModelAnswer {
  const { system = '' } = request;
  if (system.startsWith('You know the rules'))
    return nth(request, wants(['find_rules', { question: 'broken' }]), says(`Rule: ${readLast(request)}`));
  if (system.startsWith('You word answers')) return says(`Dear customer: ${readLast(request)}`);
  return nth(
    request,
    wants(['order_status', { order_id: '1042' }], ['capture', { order_id: '1042' }]),
    wants(['returns', { message: 'A lamp, broken.' }]),
    wants(['writer', { message: 'It is on its way; 14 days to return it.' }]),
    says(readLast(request)),
  );
}

const tickets: Readonly<Record<string, Json>> = {
  find_tickets: [{ id: '4711', subject: 'Printer' }],
  close_ticket: { closed: '4711' },
};

const ticketRun = (what: string, answer: string, done: string): SampleRun => ({
  sample: 'ticket-agent',
  what,
  input: { message: 'Close the ticket about the printer.' },
  script: {
    model: (request) =>
      nth(
        request,
        wants(['find_tickets', { query: 'printer' }]),
        wants(['close_ticket', { ticket_id: '4711' }]),
        says(readLast(request)),
      ),
    mcp: {
      list: async () =>
        Object.keys(tickets).map((name) => ({ name, description: '', parameters: { type: 'object' } })),
      call: async (_server, tool) => ({ content: tickets[tool] ?? null, isError: false }),
    },
  },
  answers: { 'work.1': answer },
  ends: { answer: done, turns: 3 },
});

/** The shop says what it has paid. */
const refundRun = (what: string, answer: Json, ends: JsonObject): SampleRun => ({
  sample: 'refund-desk',
  what,
  input: { message: 'My lamp 1042 is broken.' },
  script: {
    model: (request) =>
      nth(
        request,
        wants(['find_order', { order_id: '1042' }]),
        wants(['refund', { order_id: '1042', amount_cents: 4900, reason: 'broken' }]),
        says(readLast(request)),
      ),
    http: ({ method, body }) =>
      method === 'POST'
        ? httpAnswer(201, { id: 're_1', paid: JSON.parse(String(body)).amount_cents })
        : httpAnswer(200, { paid_cents: 4900 }),
  },
  answers: { 'desk.1': answer },
  ends,
});
const ofAmount = (amount_cents: number) => ({ order_id: '1042', amount_cents, refund_id: 're_1' });

const hits = [
  { excerpt: 'Unplug it first.', url: 'https://manuals.example.com/lumo#4', score: 0.9 },
  { excerpt: 'Turn the bulb left.', url: 'https://manuals.example.com/lumo#5', score: 0.8 },
  { excerpt: 'Wash at 40 degrees.', url: 'https://manuals.example.com/rug#1', score: 0.1 },
];
const search = (query: string): ModelAnswer => wants(['search_manuals', { query }]);
const cited = (id: number) => {
  const { excerpt: text = '', url: source = '' } = hits[id - 1] ?? {};
  return { id, source, text };
};

/** A search finds what is under its words, and does not respond where nothing is. */
const manualRun = (
  what: string,
  found: Readonly<Record<string, readonly JsonObject[]>>,
  turns: readonly ModelAnswer[],
  ends: SampleRun['ends'],
): SampleRun => ({
  sample: 'manual-answers',
  what,
  input: { message: 'How do I change the bulb?' },
  script: {
    model: (request) => nth(request, ...turns),
    http: ({ url }) => {
      const hits = found[new URL(url).searchParams.get('q') ?? ''];
      return hits ? httpAnswer(200, { hits }) : httpAnswer(503);
    },
  },
  ends,
});

export const agentSampleRuns: readonly SampleRun[] = [
  {
    sample: 'order-desk',
    what: 'answers with what a flow and two workers gave',
    input: { message: 'Order 1042 came broken.' },
    script: {
      model: orderDesk,
      http: ({ url }) =>
        httpAnswer(200, url.includes('/orders/') ? { status: 'shipped' } : { days: 14, url }),
      flows: createFlowPort({ 'order-status': sample('order-status') }).port,
    },
    ends: {
      answer: 'Dear customer: It is on its way; 14 days to return it.',
      handed_over: false,
      order_id: '1042',
    },
  },
  refundRun('pays what the agent proposes, when somebody approves it', 'approve', {
    answer: expect.stringContaining('"paid":4900'),
    refunded: ofAmount(4900),
  }),
  refundRun(
    'pays another amount that somebody approves, and tells the model',
    { approved: true, arguments: { order_id: '1042', amount_cents: 1500, reason: 'used for a year' } },
    { answer: expect.stringContaining('1500'), refunded: ofAmount(1500) },
  ),
  refundRun(
    'pays nothing that somebody denies',
    { approved: false, reason: 'Not broken, says the photo.' },
    { answer: expect.stringContaining('Not broken, says the photo.'), refunded: null },
  ),
  manualRun(
    'searches twice, and cites a passage of each search',
    { bulb: hits.slice(0, 1), 'turn bulb': hits },
    [search('bulb'), search('turn bulb'), says('Turn it left [2] when it is unplugged [1].')],
    {
      status: 'answered',
      answer: 'Turn it left [2] when it is unplugged [1].',
      citations: [cited(2), cited(1)],
    },
  ),
  manualRun(
    'does not give an answer that cites nothing',
    { bulb: [] },
    [search('bulb'), says('With a hammer.')],
    { status: 'not_found', answer: 'The manuals do not say.', citations: [] },
  ),
  manualRun(
    'is not available when the search fails until the last turn',
    {},
    Array.from({ length: 5 }, (_, turn) => search(`bulb ${turn}`)),
    { status: 'unavailable', citations: [] },
  ),
  ticketRun('closes a ticket when somebody approves it', 'approve', '{"closed":"4711"}'),
  ticketRun(
    'leaves it open when somebody does not',
    'deny',
    'Error: this use of the tool was denied; do not try it again',
  ),
];
