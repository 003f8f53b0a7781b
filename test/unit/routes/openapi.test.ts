import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { errorTable } from '#lib/errors.ts';
import { problem } from '#lib/http/problem.ts';
import { getHeaderName } from '#lib/http/request-headers.ts';
import { openapiDocument } from '#lib/routes/openapi.ts';
import { listCodes } from '#lib/routes/openapi-problems.ts';
import { routeList } from '#lib/routes/routes.ts';
import { checkJson } from '#test/support/json-schema.ts';

const document = openapiDocument('9.9.9');

/** The members of the document that this test reads. */
const shape = z.looseObject({
  info: z.looseObject({ version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.looseObject({
    schemas: z.record(z.string(), z.unknown()),
    responses: z.record(z.string(), z.unknown()),
    examples: z.record(z.string(), z.object({ value: z.unknown() })),
    securitySchemes: z.record(z.string(), z.unknown()),
  }),
});
const response = z.looseObject({
  headers: z.record(z.string(), z.unknown()),
  content: z.record(z.string(), z.unknown()).optional(),
});
const described403 = z.looseObject({
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
  responses: z.record(z.string(), z.unknown()),
});
const reference = z.strictObject({
  $ref: z.templateLiteral(['#/components/responses/', z.string()]),
});
const operation = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z
    .array(z.looseObject({ in: z.string(), name: z.string(), description: z.string().optional() }))
    .optional(),
  requestBody: z
    .looseObject({
      content: z.record(z.string(), z.looseObject({ schema: z.unknown(), example: z.unknown() })),
    })
    .optional(),
  responses: z.record(z.string(), z.union([reference, response])),
});
const read = shape.parse(JSON.parse(JSON.stringify(document)));

const resolve = (given: z.infer<typeof operation>['responses'][string]) => {
  const shared = reference.safeParse(given);
  return response.parse(
    shared.success ? read.components.responses[shared.data.$ref.split('/').at(-1) ?? ''] : given,
  );
};

describe.each(routeList)('%s', (id, route) => {
  const described = operation.parse(read.paths[route.path]?.[route.method.toLowerCase()]);

  test('has its operation id and its tag', () => {
    expect(described).toMatchObject({ operationId: id, tags: [route.tag] });
  });

  test('lists the credentials that it accepts', () => {
    const schemes = described.security.map((each) => Object.keys(each)[0]);
    const names = { apiKey: 'apiKeyAuth', bearer: 'bearerAuth', session: 'cookieAuth' };
    expect(schemes).toEqual([
      ...(route.optionalCredentials ? [undefined] : []),
      ...route.credentials.map((kind) => names[kind]),
    ]);
  });

  test('has every parameter of its path and query with a description', () => {
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    const query = route.query instanceof z.ZodObject ? Object.keys(route.query.shape) : [];
    const described_ = (described.parameters ?? []).map((each) => [each.in, each.name]);
    expect(described_.filter(([where]) => where !== 'header')).toEqual([
      ...names.map((name) => ['path', name]),
      ...query.map((name) => ['query', name]),
    ]);
  });

  test('has every header that it reads', () => {
    const taken = (described.parameters ?? []).filter((each) => each.in === 'header');
    expect(taken.map(({ name }) => name)).toEqual((route.requestHeaders ?? []).map(getHeaderName));
    expect('304' in described.responses).toBe(route.requestHeaders?.includes('If-None-Match') === true);
  });

  test('lists its success and each of its errors, with X-Request-Id on all', () => {
    const { [String(route.response.status)]: success, 304: _unchanged, ...others } = described.responses;
    const { 200: _result, 202: _accepted, 204: _over, 303: _next, ...errors } = others;
    expect(success).toBeDefined();
    const ownForm = route.errorForm ? 'application/json' : route.response.contentType;
    if (ownForm === 'text/html' || ownForm === 'application/json') {
      const statuses = route.errors.map((code) => String(errorTable[code].status));
      expect(Object.keys(errors)).toEqual(expect.arrayContaining(statuses));
      for (const error of Object.values(errors)) expect(resolve(error).content).toHaveProperty([ownForm]);
      return;
    }
    const examples = Object.values(errors).flatMap((error) => {
      expect(reference.safeParse(error).error, 'errors are shared responses').toBeUndefined();
      const { content } = resolve(error);
      const { examples: named } = z
        .object({ examples: z.record(z.string(), z.unknown()) })
        .parse(content?.['application/problem+json']);
      return Object.keys(named);
    });
    expect(examples.sort()).toEqual([...listCodes(route.errors)].sort());
    for (const each of Object.values(described.responses))
      expect(resolve(each).headers).toHaveProperty('X-Request-Id');
  });

  test('has a valid example of its body', () => {
    for (const { schema, example } of Object.values(described.requestBody?.content ?? {})) {
      expect(checkJson(schema, example, read)).toEqual([]);
    }
    expect(described.requestBody !== undefined).toBe(
      [route.body, route.rawBody, route.form].some((each) => each !== undefined),
    );
  });
});

test('every operation that takes scopes, or changes something with a session, lists 403', () => {
  const lacking = Object.entries(shape.parse(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, described]) => {
      const { data: found } = described403.safeParse(described);
      const isRefused = found?.security?.some(
        ({ cookieAuth, bearerAuth = [] }) => (cookieAuth && method !== 'get') || bearerAuth.length > 0,
      );
      return isRefused && !Object.hasOwn(found?.responses ?? {}, '403') ? [`${method} ${path}`] : [];
    }),
  );
  expect(lacking).toEqual([]);
});

test('every shared response is used by an operation', () => {
  const names = JSON.stringify(read.paths).matchAll(/#\/components\/responses\/(\w+)/g);
  expect([...new Set([...names].map(([, name]) => name))].sort()).toEqual(
    Object.keys(read.components.responses).sort(),
  );
});

test('every example of problem details is valid', () => {
  for (const { value } of Object.values(read.components.examples))
    expect(problem.safeParse(value).error).toBeUndefined();
});

test('every example on a schema is accepted by its schema', () => {
  const found: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const schema = z.looseObject({ examples: z.array(z.unknown()) }).safeParse(value);
    if (schema.success) {
      for (const example of schema.data.examples) {
        found.push(path);
        expect(checkJson(value, example, read), path).toEqual([]);
      }
    }
    for (const [name, member] of Object.entries(value)) visit(member, `${path}/${name}`);
  };
  visit(read.components.schemas, '');
  visit(read.paths, '');
  expect(found.length).toBeGreaterThan(10);
});

test('an invalid example is detected', () => {
  const wrong = { flowid: 'agents', agent_card: {}, flow: [] };
  const { schemas } = read.components;
  expect(checkJson(schemas.CreateRegistryRow, wrong, read).length).toBeGreaterThan(2);
  expect(checkJson({ $ref: '#/components/schemas/Problem' }, {}, read).length).toBeGreaterThan(2);
});

test('the version is the given one', () => {
  expect(read.info.version).toBe('9.9.9');
});

test('docs/openapi.json matches the route table: `npm run openapi` writes it', () => {
  const file = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'));
  const { paths, components } = shape.parse(file);
  const isCurrent = isDeepStrictEqual([paths, components], [read.paths, read.components]);
  expect(isCurrent, 'docs/openapi.json is not up to date: run `npm run openapi`').toBe(true);
});

test('the refusals of the authorization server are in the document', () => {
  const { paths } = shape.parse(document);
  const statuses = (path: string) =>
    Object.keys(z.looseObject({ responses: z.object({}).loose() }).parse(paths[path]?.post).responses);
  for (const path of ['/oauth/token', '/oauth/register', '/oauth/revoke'])
    expect(statuses(path)).toEqual(expect.arrayContaining(['400', '401', '413', '429', '503']));
  expect(statuses('/oauth/consent/{uid}')).toEqual(
    expect.arrayContaining(['403', '404', '409', '413', '415']),
  );
});
