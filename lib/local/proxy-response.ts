// Parses the response of a Lambda proxy integration into status, headers and body.
import * as z from 'zod';
import { GatewayError } from './gateway-error.ts';

const value = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const head = z.object({
  statusCode: z.coerce.number().int().min(100).max(599),
  headers: z.record(z.string(), value).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(value)).nullish(),
});

const bufferedAnswer = head.extend({
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

const streamedHead = head.extend({
  statusCode: head.shape.statusCode.default(200),
  cookies: z.array(z.string()).nullish(),
});

export type Head = { readonly statusCode: number; readonly headers: Readonly<Record<string, string[]>> };
export type BufferedAnswer = Head & { readonly body: Buffer };

/** The gateway renames these headers of a function to `x-amzn-remapped-…` (API Gateway, important notes). */
const remapped = new Set([
  'authorization',
  'connection',
  'content-md5',
  'date',
  'expect',
  'host',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'trailer',
  'upgrade',
  'user-agent',
  'www-authenticate',
]);
/** The gateway computes these itself. */
const dropped = new Set(['content-length', 'transfer-encoding']);

/** `decodesBase64`: whether the API treats the response as binary; otherwise the text is sent unchanged. */
export function parseBufferedAnswer(answer: unknown, decodesBase64: boolean): BufferedAnswer {
  const read = parse(bufferedAnswer, answer);
  const encoding = read.isBase64Encoded && decodesBase64 ? 'base64' : 'utf8';
  return { ...toHead(read, 'application/json'), body: Buffer.from(read.body ?? '', encoding) };
}

export function parseStreamedHead(metadata: unknown): Head {
  const read = parse(streamedHead, metadata);
  const answer = toHead(read, 'application/octet-stream');
  return read.cookies?.length
    ? { ...answer, headers: { ...answer.headers, 'set-cookie': read.cookies } }
    : answer;
}

function parse<T>(schema: z.ZodType<T>, answer: unknown): T {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  const reason = new Error(`Malformed Lambda proxy response: ${z.prettifyError(read.error)}`);
  throw new GatewayError('FUNCTION_FAILED', reason);
}

/** If both maps have a header, `multiValueHeaders` takes precedence. */
function toHead(
  { statusCode, headers, multiValueHeaders }: z.output<typeof head>,
  contentType: string,
): Head {
  const single = Object.entries(headers ?? {}).map(([name, text]): [string, string[]] => [name, [text]]);
  const merged: Record<string, string[]> = { 'content-type': [contentType] };
  for (const [name, values] of [...single, ...Object.entries(multiValueHeaders ?? {})]) {
    const key = name.toLowerCase();
    if (!dropped.has(key)) merged[remapped.has(key) ? `x-amzn-remapped-${key}` : key] = values;
  }
  return { statusCode, headers: merged };
}
