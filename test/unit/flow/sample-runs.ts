// Runs of the sample flows: what starts them, what the world outside answers, and how they end. The same
// question has the same answer in whatever process it is put, so that a run may be cut anywhere.

import { expect } from 'vitest';
import type { FlowInput } from '#lib/flow/engine/run-flow.ts';
import type { HttpRequest } from '#lib/flow/ports/http.ts';
import type { ModelAnswer, ModelRequest } from '#lib/flow/ports/model.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import { memoryStore } from '#lib/flow/testing/memory-store.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { httpAnswer, modelAnswer, type Script } from './scripted.ts';

export interface SampleRun {
  readonly sample: string;
  readonly what: string;
  readonly input: Partial<FlowInput>;
  readonly script: Script;
  /** By id of the question. */
  readonly answers?: Readonly<Record<string, Json>>;
  readonly ends: JsonObject;
  /** Ids of the nodes as they are entered, where that is the point. */
  readonly path?: readonly string[];
}

/** What the model says in each node, at each of its visits. */
const models =
  (answers: Readonly<Record<string, Json | ((visit: number, request: ModelRequest) => Json)>>) =>
  (request: ModelRequest, { nodeId, visit }: NodeCall): ModelAnswer => {
    const answer = answers[nodeId];
    if (answer === undefined) throw new Error(`The script has no answer for ${nodeId}.`);
    return modelAnswer(typeof answer === 'function' ? answer(visit, request) : answer);
  };

const readLast = ({ messages }: ModelRequest): string => messages.at(-1)?.content ?? '';
const readPrompt = ({ messages }: ModelRequest): string => messages[0]?.content ?? '';

const lamp = { product: 'Lumo', facts: ['800 lumen', 'Dimmable'], language: 'German' };
const passages = [
  { id: 'p-12', title: 'Leave', text: 'Everybody has 30 days.', url: 'https://handbook.example.com/p-12' },
  { id: 'p-31', title: 'Sickness', text: 'Call before nine.', url: 'https://handbook.example.com/p-31' },
];
const contracts = [
  { id: 'c-1', title: 'Rent' },
  { id: 'c-2', title: 'Cleaning' },
  { id: 'c-3', title: 'Power' },
];

const invoice = {
  supplier: 'Lumo GmbH',
  number: '2026-17',
  date: '2026-11-21',
  currency: 'EUR',
  lines: [
    { text: 'Lamp', amount: '0.10' },
    { text: 'VAT', amount: '0.20' },
  ],
  total: '0.30',
};
const page = (n: number) => ({
  file: `file_${String(n).repeat(22)}`,
  name: 'invoice.png',
  media_type: 'image/png',
  bytes: 48_213,
});
const letter = { part: 0, name: 'letter.txt', media_type: 'text/plain', bytes: 90 };

/** The model reads the invoice only in the images of the message, and not in its letter. */
const invoiceRun = (what: string, read: JsonObject, ends: JsonObject): SampleRun => ({
  sample: 'invoice-reader',
  what,
  input: { files: [letter, page(1), page(2)] },
  script: {
    model: ({ messages }) => {
      expect(messages[0]).toHaveProperty('files', [
        expect.objectContaining({ file: page(1).file }),
        expect.objectContaining({ file: page(2).file }),
      ]);
      return modelAnswer({ ...invoice, ...read });
    },
  },
  ends,
});

/** Those with agents are in `agent-sample-runs.ts`. */
export const sampleRuns: readonly SampleRun[] = [
  {
    sample: 'product-text',
    what: 'plans, writes and translates',
    input: { user_variables: lamp },
    script: {
      model: models({
        plan: { headline: 'Light', selling_points: ['Bright', 'Dims'] },
        write: (_visit, request) => `${readPrompt(request).split('\n').slice(3).join(' and ')}.`,
        translate: (_visit, request) => `DE: ${readPrompt(request)}`,
      }),
    },
    ends: {
      status: 'written',
      headline: 'Light',
      text: 'Bright and Dims.',
      translation: 'DE: Bright and Dims.',
    },
    path: ['plan', 'enough', 'write', 'translate', 'written'],
  },
  {
    sample: 'support-triage',
    what: 'routes a refund past the answer about the status',
    input: { message: 'I want my money back for order 1042' },
    script: {
      model: models({ classify: { kind: 'refund', order_id: '1042' } }),
      http: () => httpAnswer(200, { id: '1042', status: 'delivered' }),
    },
    ends: { kind: 'refund', order: { id: '1042', status: 'delivered' } },
    path: ['classify', 'route', 'order', 'which_answer', 'refund'],
  },
  {
    sample: 'reviewed-translation',
    what: 'mends the draft with the remarks until it is approved',
    input: { user_variables: { text: 'Guten Morgen', language: 'English' } },
    script: {
      model: models({
        translate: (_visit, request) =>
          readPrompt(request).includes('Not day: morning.') ? 'Good morning' : 'Good day',
        review: (_visit, request) =>
          readPrompt(request).includes('Good morning')
            ? { verdict: 'approved', remarks: [] }
            : { verdict: 'revise', remarks: ['Not day: morning.'] },
      }),
    },
    ends: { translation: 'Good morning', approved: true, rounds: 2, remarks: [] },
    path: ['translate', 'review', 'good_enough', 'translate', 'review', 'good_enough', 'approved'],
  },
  {
    sample: 'contract-digest',
    what: 'sums up what could be read and names what could not',
    input: { user_variables: { contracts } },
    script: {
      http: ({ url }: HttpRequest) =>
        url.includes('c-2') ? httpAnswer(404) : httpAnswer(200, `Text of ${url}`),
      model: models({
        digest: (_visit, request) => ({ obligations: [readPrompt(request).slice(0, 4)], ends_on: null }),
        sum_up: (_visit, request) => `${readPrompt(request).match(/obligations/g)?.length} contracts.`,
      }),
    },
    ends: {
      summary: '2 contracts.',
      unread: ['Cleaning'],
      contracts: [
        { id: 'c-1', title: 'Rent', obligations: ['Rent'], ends_on: null },
        { id: 'c-3', title: 'Power', obligations: ['Powe'], ends_on: null },
      ],
    },
  },
  {
    sample: 'guarded-answers',
    what: 'answers what all guardrails let pass',
    input: { message: 'How much is M?' },
    script: {
      model: models({
        judge_attack: { verdict: 'harmless' },
        judge_topic: { verdict: 'ours' },
        answer: '14 EUR',
      }),
    },
    ends: { answer: '14 EUR', refused_by: 'none' },
  },
  {
    sample: 'guarded-answers',
    what: 'refuses a card number, though the models let it pass',
    input: { message: 'Is 4111 1111 1111 1111 paid?' },
    script: { model: models({ judge_attack: { verdict: 'harmless' }, judge_topic: { verdict: 'ours' } }) },
    ends: { refused_by: 'privacy' },
  },
  {
    sample: 'press-release',
    what: 'publishes the second draft, after changes',
    input: { message: 'A shop opens in Bonn.' },
    script: {
      model: models({
        draft: (_visit, request) =>
          readPrompt(request).includes('Changes:\nSay when.') ? 'In May.' : 'Soon.',
      }),
      http: ({ body = '' }) => httpAnswer(201, { text: JSON.parse(String(body)).text }),
    },
    answers: { 'approve.1': 'change', 'ask_changes.1': 'Say when.', 'approve.2': 'publish' },
    ends: { status: 'published', text: 'In May.', article: { text: 'In May.' } },
  },
  {
    sample: 'handbook-answers',
    what: 'asks again when a citation does not exist, and tells the model which',
    input: { message: 'How much leave?' },
    script: {
      http: () => httpAnswer(200, { passages }),
      model: models({
        answer: (_visit, { system = '' }) => ({
          answer: '30 days.',
          citations: system.includes('p-99') ? ['p-12'] : ['p-12', 'p-99'],
        }),
      }),
    },
    ends: {
      answer: '30 days.',
      sources: [{ id: 'p-12', title: 'Leave', url: 'https://handbook.example.com/p-12' }],
    },
    path: ['search', 'found', 'answer', 'citations', 'exist', 'answer', 'citations', 'exist', 'answered'],
  },
  {
    sample: 'damage-report',
    what: 'asks for what the message leaves open, in order',
    input: { message: 'It arrived broken.' },
    script: { model: models({ read: { damage: 'broken' } }) },
    answers: { 'ask_order_id.1': '10425', 'ask_email.1': 'ada@example.com' },
    ends: { order_id: '10425', damage: 'broken', email: 'ada@example.com' },
    path: ['read', 'missing', 'ask_order_id', 'missing', 'ask_email', 'missing', 'complete'],
  },
  invoiceRun(
    'accepts amounts that add up in cents, though not as binary fractions',
    {},
    { status: 'accepted', reason: null, invoice },
  ),
  invoiceRun(
    'has a person look at a total that is a cent off',
    { total: '0.31' },
    {
      status: 'needs_review',
      reason: 'The lines add up to 0.30 EUR, but the total is 0.31 EUR.',
      invoice: { total: '0.31' },
    },
  ),
  {
    sample: 'invoice-reader',
    what: 'asks for an image when there is none',
    input: { files: [letter] },
    script: {},
    ends: { status: 'no_image', invoice: null },
    path: ['image', 'no_image'],
  },
  {
    sample: 'order-status',
    what: 'says that an order is not there',
    input: { user_variables: { order_id: '7' } },
    script: { http: () => httpAnswer(404) },
    ends: { status: 'not_found' },
    path: ['order', 'unknown'],
  },
  {
    sample: 'conformance',
    what: 'asks for a text and for a file',
    input: { message: 'ask' },
    script: {},
    answers: {
      'ask_city.1': 'Rome',
      'ask_file.1': { raw: 'QWRh', media_type: 'text/plain', filename: 'a.txt' },
    },
    ends: { answer: 'Booked Rome.' },
    path: ['act', 'preparing', 'ask_city', 'ask_file', 'answered'],
  },
  {
    sample: 'conformance',
    what: 'sends a text in chunks',
    input: { message: 'stream' },
    script: {},
    ends: {},
    path: ['act', 'first_chunk', 'second_chunk', 'last_chunk', 'streamed'],
  },
  {
    sample: 'conformance-connection',
    what: 'does not use its connection',
    input: { message: 'Hello' },
    script: {},
    ends: { answer: 'The connection is stored.' },
    path: ['act', 'stored'],
  },
  {
    sample: 'webhook-summary',
    what: 'sums the event up',
    input: { event: { event: 'payment.failed', data: { invoice: 'INV-7' } } },
    script: { model: models({ summarize: (_visit, request) => readPrompt(request) }) },
    ends: { summary: 'Event: payment.failed\n\n{"invoice":"INV-7"}', event: 'payment.failed' },
  },
  {
    sample: 'support-chat',
    what: 'answers in the thread in which it was asked',
    input: {
      event: {
        event: 'app_mention',
        data: {
          body: { event: { channel: 'C1', ts: '2.1', thread_ts: '1.0', text: '<@U0LAN0Z89> And 1042?' } },
        },
      },
    },
    script: {
      store: memoryStore(false),
      model: models({ answer: (_visit, request) => `About ${readLast(request)}` }),
      http: ({ body = '' }) => {
        const { channel, thread_ts, text } = JSON.parse(String(body));
        return httpAnswer(200, { ok: channel === 'C1' && thread_ts === '1.0' && text === 'About And 1042?' });
      },
    },
    ends: { status: 'answered', answer: 'About And 1042?' },
    path: ['said', 'from_person', 'answer', 'post', 'posted', 'answered'],
  },
  {
    sample: 'nightly-report',
    what: 'sends the numbers of the day before',
    input: {
      user_variables: { to: 'owner@example.com' },
      event: { event: 'schedule', data: { scheduled_at: '2026-03-01T01:30:00Z' } },
    },
    script: {
      model: models({ comment: 'Remarkable.' }),
      http: ({ url, body }) => {
        if (url === 'https://sales.example.com/orders?day=2026-02-28')
          return httpAnswer(200, {
            orders: [
              { id: '1', amount: 0.1 },
              { id: '2', amount: 0.2 },
            ],
          });
        const { subject, text } = JSON.parse(String(body));
        const isWhole =
          subject === 'Sales of 2026-02-28: 0.3 EUR' && text === '2 orders, 0.3 EUR.\n\nRemarkable.';
        return httpAnswer(isWhole ? 202 : 400);
      },
    },
    ends: { status: 'sent', day: '2026-02-28', orders: 2, total: 0.3 },
    path: ['day', 'sales', 'numbers', 'any', 'comment', 'send', 'sent'],
  },
  {
    sample: 'my-orders',
    what: 'looks up the order with the access of the person',
    input: { message: 'Where is 1042?' },
    script: { http: () => httpAnswer(200, { order_id: '1042', status: 'shipped' }) },
    ends: { answer: 'Your order 1042 is shipped.' },
    path: ['number', 'has_number', 'order', 'known'],
  },
];
