// The fuzzer against a small server with planted defects: each is found, and a server without any passes.
import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { closeServer, listen } from '#lib/local/listen.ts';
import { readApiDocument } from '#test/support/fuzz/api-document.ts';
import { fuzz, report } from '#test/support/fuzz/fuzz.ts';
import { requestsFor } from '#test/support/fuzz/generate.ts';
import { newSender } from '#test/support/fuzz/send-request.ts';

const key = 'a-key-that-is-long-enough-to-be-one';
const foreignKey = 'another key';
const problemSchema = { type: 'object', required: ['code', 'status', 'instance'] };
const refused = (...codes: string[]) => ({
  content: {
    'application/problem+json': {
      schema: problemSchema,
      examples: Object.fromEntries(codes.map((code) => [code, {}])),
    },
  },
});
const thing = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 8 },
    count: { type: 'integer', minimum: 0, maximum: 9 },
  },
  required: ['name'],
  additionalProperties: false,
};
const document = readApiDocument({
  openapi: '3.1.0',
  paths: {
    '/things': {
      post: {
        operationId: 'putThing',
        security: [{ apiKey: [] }],
        requestBody: { content: { 'application/json': { schema: thing, example: { name: 'a' } } } },
        responses: {
          200: { content: { 'application/json': { schema: thing } } },
          400: refused('validation_failed'),
          401: refused('unauthenticated'),
          415: refused('unsupported_media_type'),
        },
      },
    },
  },
});

const givenThing = z.strictObject({
  name: z.string().min(1).max(8),
  count: z.int().min(0).max(9).optional(),
});

/** What a server does otherwise than its document says. */
interface Defects {
  /** In place of what a good request is answered. */
  readonly good?: (response: ServerResponse, body: z.infer<typeof givenThing>) => void;
  /** The text of a refusal. */
  readonly detail?: string;
  readonly schema?: z.ZodType<z.infer<typeof givenThing>>;
  readonly ignoresKeys?: boolean;
}

const servers: ReturnType<typeof createServer>[] = [];
afterAll(async () => {
  await Promise.all(servers.map(closeServer));
});

async function serverWith({
  good,
  detail,
  schema = givenThing,
  ignoresKeys = false,
}: Defects): Promise<string> {
  const server = createServer(async (request, response) => {
    const refuse = (status: number, code: string, headers = {}) => {
      response.writeHead(status, {
        'content-type': 'application/problem+json',
        'x-request-id': 'r',
        'x-content-type-options': 'nosniff',
        ...headers,
      });
      response.end(JSON.stringify({ code, status, instance: 'r', detail }));
    };
    const body = await json(request).catch(() => undefined);
    const isJson = /^application\/json *(;|$)/i.test(request.headers['content-type'] ?? '');
    const keys = request.headersDistinct['x-api-key'] ?? [];
    const isKnown =
      keys.length === 1 &&
      [key, foreignKey].includes(keys[0] ?? '') &&
      request.headers.authorization === undefined;
    const parsed = schema.safeParse(body);
    if (request.method !== 'POST') return refuse(405, 'method_not_allowed', { allow: 'POST' });
    if (!isKnown && !ignoresKeys) return refuse(401, 'unauthenticated');
    if (!isJson) return refuse(415, 'unsupported_media_type');
    if ((request.url ?? '').includes('?')) return refuse(400, 'validation_failed');
    const isWhole = parsed.success && parsed.data.name.isWellFormed();
    if (!isWhole) return refuse(400, 'validation_failed');
    response.setHeader('x-request-id', 'r');
    response.setHeader('x-content-type-options', 'nosniff');
    if (good) return good(response, parsed.data);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(parsed.data));
  });
  servers.push(server);
  return await listen(server, 0);
}

async function findDefects(defects: Defects) {
  const sender = newSender(await serverWith(defects), {
    good: key,
    weak: key,
    foreign: foreignKey,
    signingSecret: 'whsec_',
  });
  const outcome = await fuzz({
    expectations: { document, secrets: [key], ownMarks: [], rules: [] },
    requestsFor: (operation) => requestsFor(document, operation, { known: {}, spare: {} }),
    sender,
    requests: 250,
    seed: 7,
  });
  sender.close();
  return outcome;
}

const answer =
  (status: number, body: unknown, type = 'application/json') =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));

test('finds nothing in a server that follows its document, with requests of every verdict', async () => {
  const outcome = await findDefects({});
  expect(outcome.findings, report(outcome, 7)).toEqual([]);
  expect(outcome.verdicts.yes).toBeGreaterThan(50);
  expect(outcome.verdicts.no).toBeGreaterThan(50);
  expect(outcome.verdicts.unknown).toBeGreaterThan(5);
});

describe('finds', () => {
  test.each<[string, string, Defects]>([
    ['a failure of the server', 'no failure of the server', { good: answer(500, {}) }],
    ['a status that is not documented', 'documented status', { good: answer(202, {}) }],
    [
      'a body that does not fit its schema',
      'documented body',
      { good: answer(200, { name: 'a', extra: 1 }) },
    ],
    ['another content type', 'documented body', { good: answer(200, { name: 'a' }, 'text/plain') }],
    ['a refusal of 65 KB', 'size of a refusal', { detail: 'x'.repeat(66_000) }],
    ['a refusal that is no problem', 'problem details', { good: answer(400, {}, 'application/json') }],
    [
      'a code that is not documented',
      'problem details',
      { good: answer(400, { code: 'odd', status: 400, instance: 'r' }, 'application/problem+json') },
    ],
    ['a stack trace', 'no internals', { detail: 'at handler (/var/task/index.js:1:1)' }],
    ['a key that is repeated', 'no secrets', { detail: `The key ${key} is good.` }],
    ['a key that is not looked at', 'credentials', { ignoresKeys: true }],
    [
      'a service that takes more than the document says',
      'no wider than the document',
      { schema: givenThing.extend({ count: z.int().max(10).optional() }) },
    ],
    [
      'a service that takes less than the document says',
      'no narrower than the document',
      { schema: givenThing.extend({ name: z.string().min(1).max(7) }) },
    ],
  ])('%s', async (_what, check, defects) => {
    const { findings } = await findDefects(defects);
    expect(findings.map((finding) => finding.check)).toContain(check);
  });

  test('the smallest request that shows it, as a line for a shell without the key', async () => {
    const { findings } = await findDefects({
      good: (response, { count }) => answer(count === 9 ? 500 : 200, { name: 'a' })(response),
    });
    const [finding] = findings;
    expect(finding).toMatchObject({ operation: 'putThing', check: 'no failure of the server' });
    expect(finding?.curl).toMatch(
      /^curl -g -X POST "\$BASE_URL"'\/things' .*-H 'x-api-key: \$KEY'.* --data-binary '\{.*"count":9.*\}'$/,
    );
    expect(finding?.curl).not.toContain(key);
  });

  test('the same violations with the same seed', async () => {
    const defects = { schema: givenThing.extend({ count: z.int().max(10).optional() }) };
    const [one, other] = [await findDefects(defects), await findDefects(defects)];
    expect(one.findings).toEqual(other.findings);
  });
});
