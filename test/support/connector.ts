// Clients of the connector for tests: the official one, in both eras, and a bare request for what it would never send.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { serviceUrl } from './service-url.ts';

export const connectorUrl = () => `${serviceUrl()}/api/v1/ai/mcp`;

export type Era = 'modern' | 'legacy';
export const eras: readonly Era[] = ['modern', 'legacy'];

type ClientOptions = ConstructorParameters<typeof Client>[1];

/** `close()` ends it. */
export async function mcpClient(
  { key }: { readonly key: string },
  era: Era = 'modern',
  options: ClientOptions = {},
): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(connectorUrl()), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
      ...options,
    },
  );
  await client.connect(transport);
  return client;
}

interface SentMessage {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a message as it is. */
export const postMessage = async (text: string, { key, headers }: SentMessage = {}): Promise<Response> =>
  await fetch(connectorUrl(), {
    method: 'POST',
    body: text,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key !== undefined && { 'x-api-key': key }),
      ...headers,
    },
  });

export const mcpError = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }),
});

/** The text of a result of a tool. */
export const readText = (result: { readonly content: readonly unknown[] }): string =>
  z.looseObject({ type: z.literal('text'), text: z.string() }).parse(result.content[0]).text;

const metaPrefix = 'io.modelcontextprotocol';

/** A request of revision 2026-07-28 as a client sends it that declares these capabilities. */
export async function mcpRequest(
  { key }: { readonly key: string },
  method: string,
  params: Readonly<Record<string, unknown>>,
  capabilities: object = {},
) {
  const _meta = {
    [`${metaPrefix}/protocolVersion`]: '2026-07-28',
    [`${metaPrefix}/clientInfo`]: { name: 'test', version: '1' },
    [`${metaPrefix}/clientCapabilities`]: capabilities,
  };
  const name = params.name ?? params.taskId;
  const response = await postMessage(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    {
      key,
      headers: {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': name }),
      },
    },
  );
  const { status } = response;
  return { status, ...mcpAnswer.parse(JSON.parse(readMessage(await response.text()))) };
}

const mcpAnswer = z.object({
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});

/** The last event of a stream, or the whole text. */
const readMessage = (text: string): string =>
  text.startsWith('{')
    ? text
    : (text
        .match(/^data: (.*)$/gm)
        ?.at(-1)
        ?.slice(6) ?? '');
