// Sample flows as the builder writes them. The JSON of each equals that in events/flows.
import { expr, flow } from '#lib/package/builder.ts';

export function buildOrderStatus() {
  const f = flow({
    name: 'Order status',
    description:
      'Reports where an order is. If the order system does not respond, the answer says so and the run does not fail.',
    ids: ['order', 'words', 'known', 'unknown', 'unavailable'],
    input: {
      type: 'object',
      properties: { order_id: { type: 'string', pattern: '^[0-9]{1,12}$' } },
      required: ['order_id'],
    },
    output: {
      type: 'object',
      properties: { answer: { type: 'string' }, status: { type: 'string' } },
      required: ['answer', 'status'],
    },
    state: { lookups_failed: 0 },
    egress: ['127.0.0.1'],
    limits: { timeout_seconds: 30 },
    tests: [
      {
        name: 'the status is described',
        input: { user_variables: { order_id: '1042' } },
        mocks: { order: { status: 200, headers: {}, body: { id: '1042', status: 'shipped' } } },
        expect: "{{ response.answer = 'Order 1042 is on its way.' }}",
      },
      {
        name: 'an order system that does not answer is no failure',
        input: { user_variables: { order_id: '1042' } },
        mocks: { order: { error: { code: 'http.503' } } },
        expect: expr`response.status = 'unavailable' and state.lookups_failed = 1`,
      },
    ],
  });
  const { order_id } = f.input.user_variables;
  const order = f.http('order', {
    url: `http://127.0.0.1:4010/orders/${order_id}`,
    headers: { accept: 'application/json' },
    timeout_seconds: 5,
    retry: {
      max_attempts: 3,
      delay_ms: 250,
      backoff: 3,
      max_delay_ms: 2000,
      on: ['http.429', 'http.5xx', 'timeout'],
    },
    catch: [
      { on: ['http.404'], next: 'unknown' },
      {
        on: ['http.*', 'timeout'],
        next: 'unavailable',
        assign: { lookups_failed: expr`${f.state.lookups_failed} + 1` },
      },
    ],
    next: 'words',
  });
  const { status } = order.output.body;
  const words = f.transform('words', {
    title: 'The status in words',
    output: expr<string>`$lookup({"paid": "being prepared", "shipped": "on its way", "delivered": "delivered"}, ${status})`,
    next: 'known',
  });
  f.end('known', {
    output: {
      status,
      answer: `Order ${order_id} is ${expr`${words.output} ? ${words.output} : ${status}`}.`,
    },
  });
  f.end('unknown', {
    output: {
      status: 'not_found',
      answer: `There is no order ${order_id}. Please check the number.`,
    },
  });
  f.end('unavailable', {
    output: {
      status: 'unavailable',
      answer: `We cannot look up order ${order_id} just now. Please try again in a few minutes.`,
    },
  });
  return f;
}

export function buildReviewedTranslation() {
  const f = flow({
    name: 'Reviewed translation',
    description:
      'Translates a text and lets a reviewer check it. The remarks of the reviewer go back to the translator, for at most three rounds; then a person gets the last draft.',
    input: {
      type: 'object',
      properties: {
        text: { type: 'string', minLength: 1, maxLength: 8000 },
        language: { type: 'string', maxLength: 40 },
      },
      required: ['text', 'language'],
    },
    output: {
      type: 'object',
      properties: {
        translation: { type: 'string' },
        approved: { type: 'boolean' },
        rounds: { type: 'integer' },
        remarks: { type: 'array', items: { type: 'string' } },
      },
      required: ['translation', 'approved', 'rounds', 'remarks'],
    },
    state: { rounds: 0, draft: '', remarks: [] },
    models: { default: { max_tokens: 3000 } },
    limits: { timeout_seconds: 140, max_steps: 20, max_model_calls: 12 },
  });
  const { text, language } = f.input.user_variables;
  const { rounds, draft, remarks } = f.state;
  const retry = { max_attempts: 3, delay_ms: 500, on: ['model.rate_limited', 'timeout'] };
  f.llm('translate', {
    title: 'Translate, or mend the draft',
    system: `You translate texts into ${language}. Keep names, numbers and paragraphs. Where there is a draft with remarks, mend what the remarks name and leave the rest as it is. Answer with the translation only.`,
    prompt: `Text:\n${text}{{ state.rounds > 0 ? '\n\nDraft:\n' & state.draft & '\n\nRemarks:\n' & $join(state.remarks, '\n') }}`,
    temperature: 0.3,
    max_visits: 3,
    retry,
    assign: { draft: f.nodes.translate, rounds: expr`${rounds} + 1` },
    next: 'review',
  });
  const reviewed = f.llm('review', {
    title: 'Review the draft',
    system: `You review translations into ${language}. Name what is wrong, missing or added, one remark for each, with the words in question. Taste is not a remark. Approve a draft without remarks.`,
    prompt: `Text:\n${text}\n\nDraft:\n${draft}`,
    output_schema: {
      type: 'object',
      properties: {
        verdict: { enum: ['approved', 'revise'] },
        remarks: { type: 'array', items: { type: 'string' }, maxItems: 10 },
      },
      required: ['verdict', 'remarks'],
      additionalProperties: false,
    },
    temperature: 0,
    retry,
    assign: { remarks: expr`${f.nodes.review}.remarks` },
    next: 'good_enough',
  });
  f.switch('good_enough', {
    title: 'Good enough?',
    cases: [
      { when: expr`${reviewed.output.verdict} = 'approved'`, next: 'approved' },
      { when: expr`${rounds} >= 3`, next: 'for_a_person' },
    ],
    default: 'translate',
  });
  f.end('approved', { output: { translation: draft, approved: true, rounds, remarks: [] } });
  f.end('for_a_person', {
    title: 'For a person to finish',
    output: { translation: draft, approved: false, rounds, remarks },
  });
  return f;
}

export function buildContractDigest() {
  const f = flow({
    name: 'Contract digest',
    description:
      'Reads many contracts concurrently, extracts the obligations from each, and summarizes all of them. A contract that cannot be read does not stop the others; the result names it.',
    input: {
      type: 'object',
      properties: {
        contracts: {
          type: 'array',
          minItems: 1,
          maxItems: 40,
          items: {
            type: 'object',
            properties: {
              id: { type: 'string', pattern: '^[A-Za-z0-9-]{1,40}$' },
              title: { type: 'string', maxLength: 200 },
            },
            required: ['id', 'title'],
          },
        },
      },
      required: ['contracts'],
    },
    output: {
      type: 'object',
      properties: {
        summary: { type: 'string' },
        contracts: { type: 'array', items: { type: 'object' } },
        unread: { type: 'array', items: { type: 'string' } },
      },
      required: ['summary', 'contracts', 'unread'],
    },
    models: { default: { temperature: 0, max_tokens: 1200 } },
    egress: ['documents.example.com'],
    limits: { timeout_seconds: 140, max_steps: 200, max_model_calls: 90, max_tokens: 600000 },
  });
  const { contracts } = f.input.user_variables;
  const digests = f.map('digests', {
    title: 'Read each contract',
    items: contracts,
    max_concurrency: 4,
    on_error: 'collect',
    body: (each) => {
      const { id, title } = each.item;
      const fetched = each.http('fetch', {
        title: 'Get its text',
        url: `https://documents.example.com/contracts/${id}/text`,
        response: 'text',
        timeout_seconds: 15,
        retry: { max_attempts: 3, delay_ms: 300, on: ['http.429', 'http.5xx', 'timeout'] },
        next: 'digest',
      });
      const digest = each.llm('digest', {
        title: 'Find the obligations',
        system:
          'You read contracts for the legal department. List what the contract obliges us to do, with amounts and dates as they are written. What is not in the text is not in the list.',
        prompt: `${title}\n\n${fetched.output.body}`,
        output_schema: {
          type: 'object',
          properties: {
            obligations: { type: 'array', items: { type: 'string' }, maxItems: 20 },
            ends_on: { type: ['string', 'null'], description: 'The date as YYYY-MM-DD, or null.' },
          },
          required: ['obligations', 'ends_on'],
          additionalProperties: false,
        },
        retry: { max_attempts: 2, delay_ms: 1000, on: ['model.rate_limited', 'timeout'] },
        next: 'entry',
      });
      const { ends_on, obligations } = digest.output;
      each.transform('entry', {
        title: 'Its line in the digest',
        output: { id, title, ends_on, obligations },
      });
    },
    next: 'gathered',
  });
  const gathered = f.transform('gathered', {
    title: 'What could be read',
    output: {
      contracts: expr<readonly object[]>`[${digests.output}[$exists(id)]]`,
      unread: expr<readonly string[]>`[${contracts}[$not(id in $$.${digests.output}.id)].title]`,
    },
    next: 'any',
  });
  const { contracts: read, unread } = gathered.output;
  f.switch('any', {
    title: 'Any at all?',
    cases: [{ when: expr`$count(${read}) = 0`, next: 'none' }],
    default: 'sum_up',
  });
  const summary = f.llm('sum_up', {
    title: 'Sum all of them up',
    system:
      'You sum up contracts for the head of the legal department: what ends first, what costs most, what contradicts itself between contracts. Half a page, with the titles of the contracts.',
    prompt: `${read}`,
    retry: { max_attempts: 3, delay_ms: 500, on: ['model.rate_limited', 'timeout'] },
    next: 'done',
  });
  f.end('done', { output: { summary: summary.output, contracts: read, unread } });
  f.fail('none', {
    title: 'None could be read',
    code: 'unreadable',
    message: `None of the ${expr`$count(${unread})`} contracts could be read.`,
  });
  return f;
}
