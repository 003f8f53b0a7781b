// The worst requests of each route of the table: by body, by query, by path and by header.
import * as z from 'zod';
import type { Route } from '#lib/http/route.ts';
import { tenantLimits } from '#lib/limits/tenant-limits.ts';
import { type OperationId, routeList } from '#lib/routes/routes.ts';
import { anyBodies, memberBodies, type Shape } from './bodies.ts';
import { listConnectorCases } from './connector-cases.ts';
import { costlyFlows, largestCard, smallCard } from './flows.ts';
import type { SentRequest } from './measure.ts';
import { listSnsCases, listWebhookCases } from './webhook-cases.ts';
import type { World } from './world.ts';

export interface Case {
  /** A route's operation id, for A2A with its method. */
  readonly route: string;
  readonly kind: string;
  /** Answered with what is stored, however little was sent. */
  readonly reads?: boolean;
  readonly sent: SentRequest;
}

/** What the gateway takes: a request line and headers of 10,240 bytes. The key has about 1,000 of them. */
const headBytes = 7_500;
const list = (count: number, piece: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => piece(n));

export function listCases(world: World): Case[] {
  return routeList.flatMap(([id, route]) => [
    ...headCases(id, route, world).map((each): Case => ({ ...each, reads: true })),
    ...bodyShapes(id, route, world).map(
      ({ kind, text }): Case => ({ route: id, kind, sent: { ...good(id, route, world), text } }),
    ),
    ...(isA2a(route) ? a2aCases(id, route, world) : []),
    ...(id === 'callConnector' ? connectorCases(id, route, world) : []),
    ...(id === 'issueToken' ? oauthCases(id, route, world) : []),
    ...(id === 'receiveNotification' ? notificationCases(id, route, world) : []),
    ...(id === 'receiveWebhook' ? webhookCases(id, route, world) : []),
  ]);
}

const webhookCases = (id: string, route: Route, world: World): Case[] => {
  const { snsWebhookId = '' } = world.known;
  const ofTopic = { ...world, known: { ...world.known, webhookId: snsWebhookId } };
  return [...listWebhookCases(id, good(id, route, world)), ...listSnsCases(id, good(id, route, ofTopic))];
};

/** Takes requests of agents. Of the bodies that functions parse themselves, the others are push notifications and MCP. */
export const isA2a = ({ rawBody, tag, transfer }: Route): boolean =>
  rawBody !== undefined && tag === 'A2A' && transfer === 'stream';

const connectorCases = (id: string, route: Route, world: World): Case[] =>
  listConnectorCases(id, good(id, route, world), world, tenantLimits().body_bytes.agent);

function good(
  id: string,
  route: Route,
  { caller, known, flowids, rows, asked, notificationToken }: World,
  more = '',
): SentRequest {
  const startsRun = id === 'triggerFlow' || id === 'startRun';
  const trigger = startsRun
    ? { trigger_id: flowids.checking, environment: 'live' }
    : id === 'resumeRun'
      ? { workflow_id: asked }
      : {};
  // What an agent answers is up to its flow; this one answers nothing, so that only the message counts.
  const agent = route.rawBody ? { flowId: flowids.checking, registryId: rows.checking } : {};
  const values: Readonly<Record<string, string>> = { ...known, ...trigger, ...agent };
  const path = route.path.replace(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? name);
  const query = /workspaceid/.test(JSON.stringify(queryNames(route)))
    ? `workspaceid=${known.workspaceid}`
    : '';
  const q = queryNames(route).includes('q') && id === 'searchRegistry' ? '&q=x' : '';
  const rest = [query + q, more].filter(Boolean).join('&').replace(/^&/, '');
  return {
    method: route.method,
    target: rest === '' ? path : `${path}?${rest}`,
    headers: {
      ...(route.credentials.includes('apiKey')
        ? { 'x-api-key': caller.key }
        : { authorization: `Bearer ${caller.key}` }),
      ...(id === 'receiveNotification' && { 'x-a2a-notification-token': notificationToken }),
      ...(route.body || route.rawBody ? { 'content-type': 'application/json', 'a2a-version': '1.0' } : {}),
    },
  };
}

const queryNames = ({ query }: Route): string[] =>
  query instanceof z.ZodObject ? Object.keys(query.shape) : [];

/** All that needs no body. */
function headCases(id: string, route: Route, world: World): Case[] {
  const of = (kind: string, sent: SentRequest): Case => ({ route: id, kind, sent });
  const plain = good(id, route, world);
  const [name] = queryNames(route);
  const separator = plain.target.includes('?') ? '&' : '?';
  const withQuery = (query: string): SentRequest => ({
    ...plain,
    target: `${plain.target}${separator}${query}`,
  });
  const bodyless =
    route.method === 'GET' || (route.method === 'PUT' && !route.body) || id === 'testRegistryRow';
  return [
    of(
      'unknown parameters',
      withQuery(
        list(1_800, (n) => n.toString(36))
          .join('&')
          .slice(0, headBytes),
      ),
    ),
    of('a long parameter', withQuery(`${name ?? 'x'}=${'%22'.repeat(headBytes / 3)}`)),
    ...(name === undefined
      ? []
      : [
          of(
            'a repeated parameter',
            withQuery(
              list(900, () => `${name}=x`)
                .join('&')
                .slice(0, headBytes),
            ),
          ),
        ]),
    ...(route.params
      ? [
          of('a long path', {
            ...plain,
            target: route.path.replace(/\{\w+\}/, 'x'.repeat(headBytes)).replace(/\{\w+\}/g, 'x'),
          }),
        ]
      : []),
    ...(route.requestHeaders?.includes('If-None-Match')
      ? [
          of('many ETags', {
            ...plain,
            headers: {
              ...plain.headers,
              'if-none-match': list(1_500, (n) => `"${n.toString(36)}"`)
                .join(',')
                .slice(0, headBytes - 2),
            },
          }),
        ]
      : []),
    ...(route.entry.startsWith('session/') ? [of('many cookies', withCookies(plain))] : []),
    ...(bodyless ? [of('as large as it may be', plain)] : []),
    ...readings(id, route, world).map(([kind, query]) => of(kind, good(id, route, world, query))),
    ...others(id, route, world),
  ];
}

/** In place of a key. */
const withCookies = (plain: SentRequest): SentRequest => ({
  ...plain,
  headers: {
    cookie: list(400, (n) => `agent-flow-${n % 2 ? 'session' : 'sign-in'}=${n}`)
      .join('; ')
      .slice(0, headBytes),
  },
});

/** Queries that ask for as much as there may be. */
function readings(id: string, route: Route, { rows }: World): [string, string][] {
  const all: Partial<Record<OperationId, [string, string][]>> = {
    listRegistryRows: [
      ['the largest page', 'limit=200'],
      ['the full list', 'pagination=false'],
      ['a list of flows', 'flow_list=true&limit=200'],
      ['filters that meet nowhere', `limit=200&q=x&${list(20, (n) => `tag=t${n}`).join('&')}&input_mode=a/b`],
    ],
    getRegistryRow: [['with the largest flow', 'flow=true']],
    diffRegistryRow: [['the largest flows', `against=${rows.other}`]],
    searchRegistry: [['the largest page', `limit=50&${list(10, (n) => `tag=t${n}`).join('&')}`]],
    getAiCatalog: [['the largest page', 'page=1']],
    getRun: [],
  };
  const found = all[id as OperationId];
  if (found) return found;
  return queryNames(route).includes('limit') ? [['the largest page', 'limit=200']] : [];
}

/** What the path makes costly. */
function others(id: string, route: Route, world: World): Case[] {
  if (id !== 'testRegistryRow') return [];
  const known = { ...world.known, a2aregistryid: world.rows.tested };
  return [{ route: id, kind: 'tests that compute', sent: good(id, route, { ...world, known }) }];
}

function bodyShapes(id: string, route: Route, world: World): Shape[] {
  if (!route.body || !route.bodyKind) return [];
  const bytes = tenantLimits().body_bytes[route.bodyKind];
  const own = valid(id, world).map(([kind, body]): Shape => ({ kind, text: JSON.stringify(body) }));
  return [...anyBodies(bytes), ...memberBodies(route, bytes), ...own];
}

/** Bodies that are taken, or refused late. */
function valid(id: string, { known, flowids }: World): [string, unknown][] {
  const numbers = list(18_000, (n) => `${n}`).map(Number);
  const variables = { list: numbers };
  const flows = Object.entries(costlyFlows).map(([kind, flow]): [string, unknown] => [
    `a flow: ${kind}`,
    { ...(id === 'createRegistryRow' && { flowid: `${flowids.small}-x` }), agent_card: smallCard, flow },
  ]);
  const card = [
    'the largest card',
    {
      ...(id === 'createRegistryRow' && { flowid: `${flowids.small}-y` }),
      agent_card: largestCard,
      tool_config: { text: '"'.repeat(49_000) },
      flow: costlyFlows['text of 2 MB'],
    },
  ] as [string, unknown];
  const secrets: [string, unknown][] = [['the longest secret', { secret: `whsec_${'A'.repeat(250_000)}` }]];
  const all: Partial<Record<OperationId, [string, unknown][]>> = {
    createRegistryRow: [...flows, card],
    updateRegistryRow: [...flows, card],
    triggerFlow: [['a costly schema', { message: 'x', user_variables: variables }]],
    startRun: [['a costly schema', { message: 'x', user_variables: variables }]],
    acceptWebhook: [['the largest event', { event: 'x', data: { text: '"'.repeat(120_000) } }]],
    resumeRun: [['a costly schema', { answer: numbers }]],
    setEnvironment: [
      [
        'as large as it may be',
        {
          pins: Object.fromEntries(list(100, (n) => `f${n}`).map((flow) => [flow, known.a2aregistryid])),
          env: Object.fromEntries(list(12, (n) => `V${n}`).map((name) => [name, 'x'.repeat(4_000)])),
        },
      ],
    ],
    createApiKey: [
      [
        'as large as it may be',
        {
          label: 'x',
          scopes: ['audit:read'],
          workspaces: list(50, (n) => `w${n}${'x'.repeat(60)}`.slice(0, 64)),
        },
      ],
    ],
    putConnection: [
      [
        'as large as it may be',
        {
          type: 'http_bearer',
          hosts: list(50, (n) => `h${n}.${'x'.repeat(60)}.example`),
          credential: { token: 'x'.repeat(8_192) },
        },
      ],
    ],
    createTrigger: [
      [
        'as large as it may be',
        {
          kind: 'schedule',
          flowid: flowids.small,
          schedule: { cron: '59 23 29 2 1-7,1-7,1-7', timezone: 'Europe/Berlin' },
          user_variables: { text: 'x'.repeat(120_000) },
        },
      ],
    ],
    setWebhookSecret: secrets,
    setCallbackSecret: secrets,
  };
  return all[id as OperationId] ?? [];
}

/** With the token of the task: what is sent without it is not read. */
function notificationCases(id: string, route: Route, world: World): Case[] {
  const room = tenantLimits().body_bytes.agent - 100;
  const bodies: [string, string][] = [
    ['unknown members', `{${list(Math.floor(room / 12), (n) => `"${n.toString(36)}":1`).join(',')}}`],
    ['nesting', `${'['.repeat(room / 2)}${']'.repeat(room / 2)}`],
    ['a large artifact', `{"artifactUpdate":{"artifact":{"parts":[{"text":"${'x'.repeat(room - 100)}"}]}}}`],
  ];
  return bodies.map(([kind, text]) => ({ route: id, kind, sent: { ...good(id, route, world), text } }));
}

/** Forms to the token endpoint, and metadata of clients that register. oidc-provider reads 56 KiB at most. */
function oauthCases(id: string, route: Route, world: World): Case[] {
  const room = 56 * 1_024 - 500;
  const many = (size: number, piece: (n: number) => string, separator: string) =>
    list(Math.floor(room / size), piece).join(separator);
  const grant = 'grant_type=authorization_code&client_id=x&code_verifier=x&code=';
  const redirects = '"redirect_uris":["https://client.example.com/callback"]';
  const forms: [string, string][] = [
    ['unknown parameters', many(8, (n) => `${n.toString(36)}=1`, '&')],
    ['a repeated parameter', many(8, () => 'scope=x', '&')],
    ['a long code', `${grant}${'x'.repeat(room)}`],
    ['escapes', `${grant}${'%22'.repeat(room / 3)}`],
    ['many resources', `${grant}x&${many(12, () => 'resource=x', '&')}`],
  ];
  const metadata: [string, string][] = [
    ['unknown members', `{${redirects},${many(12, (n) => `"${n.toString(36)}":1`, ',')}}`],
    ['nesting', `{${redirects},"contacts":${'['.repeat(room / 2)}${']'.repeat(room / 2)}}`],
    ['a long name', `{${redirects},"client_name":"${' x'.repeat(room / 2)}"}`],
    ['redirect URIs', `{"redirect_uris":[${many(24, (n) => `"https://x.example/${n}"`, ',')}]}`],
    ['keys', `{${redirects},"jwks":{"keys":[${many(40, () => '{"kty":"EC","crv":"P-256"}', ',')}]}}`],
  ];
  const of = (kind: string, target: string, type: string, text: string): Case => ({
    route: id,
    kind,
    sent: { ...good(id, route, world), target, headers: { 'content-type': type }, text },
  });
  const form = 'application/x-www-form-urlencoded';
  return [
    ...forms.map(([kind, text]) => of(kind, '/oauth/token', form, text)),
    ...metadata.map(([kind, text]) =>
      of(`registration: ${kind}`, '/oauth/register', 'application/json', text),
    ),
  ];
}

/** JSON-RPC requests by method. */
function a2aCases(id: string, route: Route, world: World): Case[] {
  const bytes = tenantLimits().body_bytes.agent;
  const plain = good(id, route, world);
  const rpc = (method: string, params: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
  const message = (parts: string) => `{"message":{"messageId":"m","role":"ROLE_USER","parts":[${parts}]}}`;
  const room = bytes - 400;
  const sending: [string, string][] = [
    ['a long text', message(`{"text":"${'\\"'.repeat(room / 2)}"}`)],
    ['a text as long as it may be', message(`{"text":"${'x'.repeat(60_000)}"}`)],
    ['a file', message(`{"raw":"${'QUJD'.repeat(Math.floor(room / 4))}","mediaType":"a/b"}`)],
    ['many parts', message(list(Math.floor(room / 14), () => '{"text":"x"}').join(','))],
    [
      'parts with mistakes',
      message(
        list(100, () => `{"text":1,"raw":"-","url":"x","data":{"a":[${'1,'.repeat(4_000)}1]}}`).join(','),
      ),
    ],
    ['structured data', message(`{"data":{"list":[${'1,'.repeat(60_000)}1]}}`)],
    [
      'references to tasks',
      `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}],"referenceTaskIds":[${list(Math.floor(room / 4), () => '{}').join(',')}]}}`,
    ],
    ['unknown members', `{${list(Math.floor(room / 12), (n) => `"${n.toString(36)}":1`).join(',')}}`],
  ];
  const of = (method: string, kind: string, text: string): Case => ({
    route: `${id} ${method}`,
    kind,
    sent: { ...plain, text },
  });
  return [
    ...anyBodies(bytes).map(({ kind, text }) => of('(any)', kind, text)),
    ...['SendMessage', 'SendStreamingMessage'].flatMap((method) =>
      sending.map(([kind, params]) => of(method, kind, rpc(method, params))),
    ),
    ...['GetTask', 'SubscribeToTask', 'CancelTask'].flatMap((method) => [
      of(method, 'a long id', rpc(method, `{"id":"${'x'.repeat(room)}"}`)),
      { ...of(method, 'the largest task', rpc(method, `{"id":"${world.known.workflow_id}"}`)), reads: true },
      of(
        method,
        'unknown members',
        rpc(method, `{"id":"x",${list(Math.floor(room / 12), (n) => `"${n.toString(36)}":1`).join(',')}}`),
      ),
    ]),
    of('(any)', 'a long method', rpc('x'.repeat(room), '{}')),
  ];
}
