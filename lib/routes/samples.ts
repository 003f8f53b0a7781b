// What the sample requests in events/ and in the OpenAPI document say beyond their rows: bodies, the optional
// parameters worth showing, and a path parameter where the example of its schema does not fit. No function
// imports it.

interface Sample {
  readonly params?: Readonly<Record<string, string>>;
  /** Optional parameters; those that a row requires come from the examples of its schemas. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const card = {
  name: 'Support triage',
  description: 'Reads a support message, looks the order up where one is meant, and answers the customer.',
  version: '1.2.0',
  tags: ['support', 'orders'],
  skills: [
    {
      id: 'triage',
      name: 'Triage a support message',
      description: 'Tells whether a message is about an order, a refund or something else, and answers it.',
      tags: ['triage'],
      examples: ['Where is my order 1042?', 'I want my money back for order 1042.'],
      inputModes: ['text/plain'],
      outputModes: ['application/json', 'text/plain'],
    },
  ],
};

const flow = {
  version: 1,
  name: 'Support triage',
  description: 'Classifies a support message, looks the order up, and answers.',
  input: { type: 'object', properties: { order_id: { type: 'string', pattern: '^[0-9]+$' } } },
  output: { type: 'object', required: ['answer'], properties: { answer: { type: 'string' } } },
  egress: ['orders.example.com'],
  start: 'classify',
  nodes: {
    classify: {
      type: 'llm',
      system: 'You sort support messages.',
      prompt: 'Sort this message: {{ input.message }}',
      output_schema: {
        type: 'object',
        required: ['kind'],
        properties: { kind: { type: 'string', enum: ['order', 'refund', 'other'] } },
      },
      next: 'route',
    },
    route: {
      type: 'switch',
      cases: [{ when: "{{ nodes.classify.kind = 'order' }}", next: 'order' }],
      default: 'pass_on',
    },
    order: {
      type: 'http',
      method: 'GET',
      url: 'https://orders.example.com/orders/{{ input.user_variables.order_id }}',
      retry: { max_attempts: 3, delay_ms: 200, on: ['http.429', 'http.5xx', 'timeout'] },
      catch: [{ on: ['http.404'], next: 'pass_on' }],
      next: 'answer',
    },
    answer: { type: 'end', output: { answer: 'Your order is {{ nodes.order.body.status }}.' } },
    pass_on: { type: 'end', output: { answer: 'A colleague will look into it.' } },
  },
};

const schedule = { cron: '0 6 * * 1-5', timezone: 'Europe/Berlin', missed: 'run_once' };
const runInput = { message: 'Where is my order 1042?', user_variables: { order_id: '1042' } };
const firstPage = { limit: '20' };
const uat = { environment: 'uat' };

export const sampleWebhook = {
  event: 'ticket.created',
  data: { ticket_id: 'T-1042', subject: 'Where is my order?', order_id: '1042' },
};

export const samples: Readonly<Partial<Record<string, Sample>>> = {
  'a2a/call-test': {
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendStreamingMessage',
      params: { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: runInput.message }] } },
    },
  },
  'api-key/create': {
    body: {
      label: 'CI pipeline',
      scopes: ['assistants.flows:read', 'assistants.flows:create'],
      workspaces: ['ws_demo'],
      expires_in_days: 90,
    },
  },
  'api-key/list': { query: firstPage },
  'audit/list': {
    query: { workspaceid: 'ws_demo', from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' },
  },
  'callback/set-secret': { body: {} },
  'connection/put': {
    body: {
      type: 'http_bearer',
      label: 'CRM token',
      hosts: ['api.crm.example'],
      credential: { token: '<TOKEN>' },
    },
  },
  'connection/try': { body: { url: 'https://api.crm.example/v1/me' } },
  'environment/try-telemetry': {
    body: { telemetry: { endpoint: 'https://phoenix.example.com/v1/traces', encoding: 'protobuf' } },
  },
  'dead-letter/dismiss-all': { body: { before: '2027-01-31T00:00:00Z' } },
  'dead-letter/redrive-all': { body: { flowid: 'support-triage' } },
  'budget/set': { body: { monthly_limit: 250, warn_percent: 80, stop: true } },
  'discovery/search': { query: { limit: '5' } },
  'environment/delete': { params: uat },
  'environment/get': { params: uat },
  'environment/set': {
    params: uat,
    body: {
      pins: { 'support-triage': 'reg_01JD2Q3V5W7X9Y1Z3A5B7C9D1E' },
      env: { ORDERS_URL: 'https://orders.uat.example.com' },
    },
  },
  'registry/create': {
    body: {
      flowid: 'support-triage',
      flow_version: '1.2.0',
      label: 'faster answers',
      note: 'Asks the knowledge base before it asks the customer.',
      visibility: 'public',
      agent_card: card,
      flow,
      env_variable: { REGION: 'eu' },
    },
  },
  'registry/diff': { query: { against: 'live' } },
  'registry/get': { query: { flow: 'true' } },
  'file/create': {
    body: {
      name: 'invoice.png',
      media_type: 'image/png',
      bytes: 48_213,
      sha256: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
    },
  },
  'member/change': { body: { roles: { '*': 'builder' } } },
  'member/invite': {
    body: { email: 'ada@example.com', roles: { '*': 'builder' }, expires_in_days: 7 },
  },
  'member/list': { query: firstPage },
  'member/list-invitations': { query: firstPage },
  'registry/history': { query: firstPage },
  'registry/list': { query: { status: 'test', visibility: 'organization', ...firstPage } },
  'registry/update': {
    body: {
      flow_version: '1.2.1',
      visibility: 'organization',
      agent_card: { ...card, version: '1.2.1' },
      env_variable: { REGION: 'us' },
    },
  },
  'run/follow': { query: { after: '0' } },
  'run/fork': { body: { from: 'order.1', environment: 'test' } },
  'run/list': { query: firstPage },
  'run/replay': { body: { input: { message: 'Where is my order 1043?' }, environment: 'test' } },
  'run/resume': { body: { answer: 'yes' } },
  'run/send-event': {
    body: {
      event: 'payment.completed',
      key: '1042',
      data: { amount: 59.9, currency: 'EUR' },
      id: 'evt_8812',
    },
  },
  'trigger/accept-webhook': { body: sampleWebhook },
  'trigger/create': {
    body: {
      trigger_id: 'trg_nightly-report',
      kind: 'schedule',
      flowid: 'support-triage',
      environment: 'live',
      message: 'Report on the orders of today.',
      user_variables: { team: 'support' },
      enabled: true,
      schedule,
    },
  },
  'trigger/next-runs': { query: { count: '3' } },
  'trigger/run': { body: runInput },
  'trigger/start': { body: runInput },
  'trigger/update': {
    body: {
      flowid: 'support-triage',
      message: 'Report on the orders of today.',
      enabled: false,
      schedule,
    },
  },
  'webhook-secret/set': { body: {} },
  'workspace/create': { body: { workspaceid: 'ws_support', name: 'Customer support' } },
  'workspace/list': { query: firstPage },
  'workspace/rename': { body: { name: 'Customer support' } },
};

/** The body of the sample request of a row that takes one. */
export function sampleBody(entry: string): unknown {
  const body = samples[entry]?.body;
  if (body === undefined) throw new Error(`lib/routes/samples.ts has no body for ${entry}.`);
  return body;
}
