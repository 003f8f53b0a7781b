// The worst messages to the connector: by method of MCP, and by tool.
import { anyBodies } from './bodies.ts';
import type { SentRequest } from './measure.ts';
import type { World } from './world.ts';

interface ConnectorCase {
  /** The operation id, with the tool or the group of methods. */
  readonly route: string;
  readonly kind: string;
  readonly reads?: boolean;
  readonly sent: SentRequest;
}

type Message = readonly [kind: string, method: string, params: string];

/** `bytes` is the limit of the body, and `plain` the request without one. */
export function listConnectorCases(
  id: string,
  plain: SentRequest,
  world: World,
  bytes: number,
): ConnectorCase[] {
  const send = (
    name: string,
    { kind, text }: { readonly kind: string; readonly text: string },
    more = {},
  ) => ({
    route: `${id} ${name}`,
    kind,
    sent: { ...plain, headers: { ...plain.headers, ...accepted, ...more }, text },
  });
  const room = bytes - 1_000;
  const groups: readonly (readonly [string, boolean, readonly Message[]])[] = [
    ['protocol', false, listProtocolMessages(room)],
    ['discover_agents', false, listSearches(room)],
    ['list_agents', true, [['the largest page', 'tools/call', callTool('list_agents', '{"limit":50}')]]],
    ['call_agent', false, listCalls(room, world)],
    [
      'call_agent',
      true,
      [['the largest answer', 'tools/call', callTool('call_agent', largestAnswer(world))]],
    ],
    ['tasks', false, listTaskMessages(room)],
  ];
  return [
    ...anyBodies(bytes).map((each) => send('(any)', each)),
    ...groups.flatMap(([name, reads, messages]) =>
      messages.map(([kind, method, params]) => {
        const isModern = params.startsWith('{"_meta"');
        const more = isModern ? toHeaders(method, name) : {};
        return { ...send(name, { kind, text: rpc(method, params) }, more), reads };
      }),
    ),
  ];
}

const accepted = { accept: 'application/json, text/event-stream' };

/** Revision 2026-07-28 is answered with JSON, the earlier ones with streams. */
const toHeaders = (method: string, name: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  'mcp-name': method === 'tools/call' ? name : 'x',
});

const rpc = (method: string, params: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};
const withMeta = (members: string) => `{"_meta":${JSON.stringify(meta)},${members}}`;
const callTool = (name: string, args: string, more = '') =>
  withMeta(`"name":"${name}","arguments":${args}${more}`);

const repeat = (room: number, piece: (n: number) => string) => {
  const length = piece(1_000_000).length + 1;
  return Array.from({ length: Math.floor(room / length) }, (_, n) => piece(n)).join(',');
};
const manyAnswers = (room: number) => repeat(room, (n) => `"${n.toString(36)}":{"action":"accept"}`);
const unknownMembers = (room: number) => repeat(room, (n) => `"${n.toString(36)}":1`);

const listProtocolMessages = (room: number): Message[] => [
  ['a long method', 'x'.repeat(room), '{}'],
  ['unknown members', 'tools/list', `{${unknownMembers(room)}}`],
  ['many members of _meta', 'tools/list', `{"_meta":{${unknownMembers(room)}}}`],
  [
    'a client with many capabilities',
    'initialize',
    `{"protocolVersion":"2025-11-25","clientInfo":{"name":"x","version":"1"},"capabilities":{"experimental":{${repeat(room - 200, (n) => `"${n.toString(36)}":{}`)}}}}`,
  ],
  ['a long name of a tool', 'tools/call', `{"name":"${'x'.repeat(room)}","arguments":{}}`],
];

const listSearches = (room: number): Message[] =>
  (
    [
      ['a long question', `{"query":"${'xyz '.repeat(125)}"}`],
      ['a question that is too long', `{"query":"${'x '.repeat(room / 2)}"}`],
      ['many tags', `{"query":"x","tags":[${repeat(20 * 130, (n) => `"${n}${'t'.repeat(110)}"`)}]}`],
      ['tags with mistakes', `{"query":"x","tags":[${repeat(room, () => '{}')}]}`],
      ['unknown members', `{"query":"x",${unknownMembers(room)}}`],
    ] as const
  ).map(([kind, args]) => [kind, 'tools/call', callTool('discover_agents', args)]);

function listCalls(room: number, { rows, asked }: World): Message[] {
  const call = (message: string, more = '') =>
    `{"registry_id":"${rows.checking}","wait_seconds":0,"message":${message}${more}}`;
  const all: [string, string][] = [
    ['a long text', call(`"${'\\"'.repeat(room / 2)}"`)],
    ['a text as long as it may be', call(`"${'x'.repeat(60_000)}"`)],
    ['a task of another agent', call('"x"', `,"task_id":"${asked}"`)],
    ['unknown members', call('"x"', `,${unknownMembers(room)}`)],
    ['a message of mistakes', call(`[${repeat(room, () => '{}')}]`)],
  ];
  return [
    ...all.map(([kind, args]): Message => [kind, 'tools/call', callTool('call_agent', args)]),
    [
      'a long requestState',
      'tools/call',
      callTool('call_agent', call('"x"'), `,"inputResponses":{},"requestState":"${'A'.repeat(room)}"`),
    ],
    [
      'many input responses',
      'tools/call',
      callTool('call_agent', call('"x"'), `,"inputResponses":{${manyAnswers(room)}}`),
    ],
  ];
}

const largestAnswer = ({ rows }: World) => `{"registry_id":"${rows.answering}","message":"x"}`;

const listTaskMessages = (room: number): Message[] => [
  ['a header that is not the id', 'tasks/get', withMeta(`"taskId":"${'x'.repeat(room)}"`)],
  ['nested unknown members', 'tasks/get', withMeta(`"taskId":"x","more":{${unknownMembers(room)}}`)],
  ['many answers', 'tasks/update', withMeta(`"taskId":"x","inputResponses":{${manyAnswers(room)}}`)],
  ['unknown members', 'tasks/cancel', withMeta(`"taskId":"x",${unknownMembers(room)}`)],
];
