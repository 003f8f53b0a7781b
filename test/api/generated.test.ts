// Throws generated requests at every operation of the OpenAPI document: such as fit its schemas, and such as surely do not. Whatever comes
// back must be an answer that the document describes, and no failure. `SEED=… npx vitest run generated` repeats a run.
import fc from 'fast-check';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import * as z from 'zod';
import { openapiDocument } from '#lib/api/openapi.ts';
import { fitting, jsonSchema, misfit, resolved } from '#test/support/arbitrary-json.ts';
import { newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { readEvent } from '#test/support/events.ts';
import { checkJson } from '#test/support/json-schema.ts';
import { newTrigger, setting, yearly } from '#test/support/triggers.ts';

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_000);
const runs = { seed, numRuns: 12, endOnFailure: true };

const withBody = z.object({ body: z.string() });
const bodyExample = (entry: string) => JSON.parse(withBody.parse(readEvent(entry)).body);
const media = z.record(z.string(), z.looseObject({ schema: z.unknown(), example: z.unknown() }));
const parameter = z.looseObject({
  in: z.enum(['path', 'query', 'header']),
  name: z.string(),
  required: z.boolean().optional(),
  schema: jsonSchema,
});
type Parameter = z.infer<typeof parameter>;
const operation = z.looseObject({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.unknown())),
  parameters: z.array(parameter).default([]),
  requestBody: z.looseObject({ content: media }).optional(),
  responses: z.record(
    z.string(),
    z.looseObject({ content: z.record(z.string(), z.looseObject({ schema: z.unknown() })).optional() }),
  ),
});
type Operation = z.infer<typeof operation>;
const shape = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

const document = shape.parse(openapiDocument({ version: '0.0.0', bodyExample }));
const { schemas } = document.components;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, found]) => ({ ...found, path, method: method.toUpperCase() })),
);
type Place = (typeof operations)[number];

let caller: TestCaller;
/** Values that exist, by the name of the parameter. */
let existing: Readonly<Record<string, readonly string[]>> = {};

beforeAll(async () => {
  caller = await newCaller();
  const flowid = unique('flow');
  const live = await promoted(caller, await newRow(caller, { flowid, visibility: 'public' }));
  const build = await newRow(caller, { flowid });
  const spare = await Promise.all([1, 2, 3].map(() => newRow(caller)));
  const params = { workspace_id: caller.workspaceid, trigger_id: flowid, environment: 'live' };
  const run = await call('triggerFlow', { key: caller.key, params, body: { message: 'hello' } });
  const owner = { ...caller, flowid };
  const api = await newTrigger(owner);
  const timed = await newTrigger(owner, { kind: 'schedule', schedule: yearly });
  await setting(owner, 'uat', { env: { A: '1' } });
  const ids = [live, build, ...spare].map((row) => row.a2aregistryid);
  existing = {
    ...Object.fromEntries(['flowid', 'flowId', 'flow_id'].map((name) => [name, [flowid]])),
    trigger_id: [flowid, api.trigger_id, timed.trigger_id],
    ...Object.fromEntries(['a2aregistryid', 'registryId'].map((name) => [name, ids])),
    ...Object.fromEntries(['workspaceid', 'workspace_id'].map((name) => [name, [caller.workspaceid]])),
    orgid: [caller.orgid],
    workflow_id: [run.body.workflow_id],
    environment: ['live', 'test', 'uat'],
  };
});

interface Sent {
  readonly path: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  readonly body: unknown;
}

const likely = ({ name, schema }: Parameter) => {
  const known = existing[name];
  const made = fitting(schema, schemas);
  return known ? fc.oneof({ arbitrary: fc.constantFrom(...known), weight: 2 }, made) : made;
};

/** Path parts that a URL would lose. */
const isPathPart = (text: string) => text !== '' && !/^\.{1,2}$/.test(text);

function requestFor({ parameters, requestBody }: Operation): fc.Arbitrary<Sent> {
  const of = (place: Parameter['in']) => parameters.filter((each) => each.in === place);
  const path = of('path').map((each) => [each.name, likely(each).map(String).filter(isPathPart)]);
  const query = fc.tuple(
    ...of('query').map((each) => {
      const pairs = likely(each).map((value) => pairsOf(each.name, value));
      return each.required === true ? pairs : fc.oneof(pairs, fc.constant([]));
    }),
  );
  return fc.record({
    path: fc.record<Record<string, string>>(Object.fromEntries(path)),
    query: query.map((pairs) => pairs.flat()),
    body: requestBody ? bodyFor(requestBody) : fc.constant(undefined),
  });
}

const pairsOf = (name: string, value: unknown): [string, string][] =>
  [value].flat().map((each) => [name, String(each)]);

/** Made from the schema, or the example with some members from the schema. */
function bodyFor({ content }: NonNullable<Operation['requestBody']>): fc.Arbitrary<unknown> {
  const { schema, example } = z
    .looseObject({ schema: z.unknown(), example: z.unknown() })
    .parse(content['application/json']);
  const { properties = {} } = resolved(schema, schemas);
  const some = Object.entries(properties).map(([name, each]) => [name, fitting(each, schemas)]);
  const changed = fc
    .record(Object.fromEntries(some), { requiredKeys: [] })
    .map((members) => ({ ...z.object({}).loose().parse(example), ...members }));
  return fc.oneof(fc.constant(example), changed, fitting(schema, schemas));
}

/** Requests with one mistake each, all of which are mistakes for sure. */
function mistakesIn(sent: Sent, { parameters, requestBody }: Operation): Sent[] {
  const queries = parameters.filter((each) => each.in === 'query');
  const schema = requestBody && resolved(requestBody.content['application/json']?.schema, schemas);
  const members = Object.entries(schema?.properties ?? {});
  const body = z.record(z.string(), z.unknown()).catch({}).parse(sent.body);
  const withBodyOf = (changed: object): Sent => ({ ...sent, body: changed });
  return [
    { ...sent, query: [...sent.query, ['surprise', '1']] },
    ...queries
      .filter(isStrict)
      .map(({ name }): Sent => ({ ...sent, query: [...without(sent, name), [name, '\u0001?']] })),
    ...queries
      .filter((each) => each.required === true)
      .map(({ name }): Sent => ({ ...sent, query: without(sent, name) })),
    ...parameters
      .filter((each) => each.in === 'path')
      .map(({ name }): Sent => ({ ...sent, path: { ...sent.path, [name]: 'ü ?' } })),
    ...(schema?.additionalProperties === false ? [withBodyOf({ ...body, surprise: 1 })] : []),
    ...(schema?.required ?? []).map((name) => withBodyOf({ ...body, [name]: undefined })),
    ...members.flatMap(([name, each]) => {
      const wrong = misfit(each, schemas);
      return wrong === undefined ? [] : [withBodyOf({ ...body, [name]: wrong })];
    }),
  ];
}

const without = ({ query }: Sent, name: string) => query.filter(([each]) => each !== name);
const isStrict = ({ schema }: Parameter) => schema.enum !== undefined || schema.pattern !== undefined;

async function send({ path, method, requestBody }: Place, sent: Sent, key = caller.key) {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(sent.path[name] ?? ''),
  );
  const query = new URLSearchParams(sent.query.map(([name, value]): [string, string] => [name, value]));
  return await fetch(`${inject('service').baseUrl}${filled}${query.size > 0 ? `?${query}` : ''}`, {
    method,
    body: requestBody ? JSON.stringify(sent.body) : null,
    headers: {
      authorization: `Bearer ${key}`,
      'a2a-version': '1.0',
      ...(requestBody && { 'content-type': 'application/json' }),
    },
  });
}

/** Fails for an answer that the document does not describe. */
async function expectDocumented(
  { operationId, responses }: Place,
  answer: Response,
  sent: Sent,
): Promise<void> {
  const text = await answer.text();
  const said = `${operationId} answered ${answer.status} to ${JSON.stringify(sent)}: ${text}`.slice(0, 2_000);
  expect(answer.status, said).toBeLessThan(500);
  const described = responses[String(answer.status)];
  expect(described, said).toBeDefined();
  expect(answer.headers.get('x-request-id'), said).toBeTruthy();
  expect(answer.headers.get('x-content-type-options'), said).toBe('nosniff');
  if (!described?.content) return expect(text, said).toBe('');
  const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
  expect(Object.keys(described.content), said).toContain(type);
  if (type === 'text/event-stream') return;
  expect(checkJson(described.content[type]?.schema, JSON.parse(text), document), said).toEqual([]);
}

describe.each(operations)(`$operationId (SEED=${seed})`, (place) => {
  test('answers what fits its schemas only with what is documented', async () => {
    await fc.assert(
      fc.asyncProperty(requestFor(place), async (sent) => {
        await expectDocumented(place, await send(place, sent), sent);
      }),
      runs,
    );
  });

  test('answers 400, as documented, to whatever does not fit', async () => {
    const [sample] = fc.sample(requestFor(place), { seed, numRuns: 1 });
    if (!sample) throw new Error('One sample was asked for.');
    for (const wrong of mistakesIn(sample, place)) {
      const answer = await send(place, wrong);
      expect(answer.status, `${place.operationId}: ${JSON.stringify(wrong)}`.slice(0, 2_000)).toBe(400);
      await expectDocumented(place, answer, wrong);
    }
  });
});
