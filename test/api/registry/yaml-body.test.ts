// Builds that are registered and replaced as YAML: the same members as in JSON.
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createBody } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { serviceUrl } from '#test/support/service-url.ts';

const yaml = (flowid: string, nodes: string) => `# Says what it hears.
flowid: ${flowid}
agent_card:
  name: Echo
  description: Says what it hears.
  skills:
    - id: echo
      name: Echo
      description: Repeats the message.
      inputModes: [text/plain]
      outputModes: [application/json]
flow:
  version: 1
  name: Echo
  start: done
  nodes:
${nodes}
`;

const done = '    done: { type: end, output: { said: "{{ input.message }}" } }';
const body = (nodes = done, flowid = unique('flow')) => yaml(flowid, nodes);

const answer = z.looseObject({
  a2aregistryid: z.string().optional(),
  code: z.string().optional(),
  detail: z.string().optional(),
  errors: z.array(z.looseObject({ pointer: z.string(), line: z.number().optional() })).optional(),
});

async function send(caller: TestCaller, text: string, { id = '', type = 'application/yaml', key = '' } = {}) {
  const query = id === '' ? `?workspaceid=${caller.workspaceid}` : '';
  const response = await fetch(`${serviceUrl()}/api/v1/a2a-registry${id && `/${id}`}${query}`, {
    method: id === '' ? 'POST' : 'PUT',
    body: text,
    headers: {
      'x-api-key': caller.key,
      'content-type': type,
      ...(key && { 'idempotency-key': key }),
    },
  });
  return { status: response.status, body: answer.parse(await response.json()) };
}

test('a build in YAML is the build in JSON, and its flow is stored as JSON', async () => {
  const caller = await newCaller();
  const { status, body: row } = await send(caller, body(), { type: 'application/yaml; charset=utf-8' });
  expect(status).toBe(201);
  const read = await call('getRegistryRow', {
    key: caller.key,
    params: { a2aregistryid: row.a2aregistryid ?? '' },
    query: { flow: 'true' },
  });
  expect(read.body.flow).toEqual(createBody().flow);
});

test('a build is replaced by one in YAML', async () => {
  const caller = await newCaller();
  const { body: row } = await send(caller, body());
  const other = body('    done: { type: end, output: { said: "Other." } }').replace(/^flowid: .*\n/m, '');
  const replaced = await send(caller, `visibility: public\n${other}`, { id: row.a2aregistryid ?? '' });
  expect(replaced).toMatchObject({ status: 200, body: { visibility: 'public' } });
});

test('one Idempotency-Key names the same build in both forms', async () => {
  const caller = await newCaller();
  const [flowid, key] = [unique('flow'), unique('key')];
  const first = await send(caller, body(done, flowid), { key });
  const json = JSON.stringify({ ...createBody(), flowid });
  const second = await send(caller, json, { key, type: 'application/json' });
  expect(second).toMatchObject({ status: 201, body: { a2aregistryid: first.body.a2aregistryid } });
});

test('400 invalid_flow has line and column of each mistake', async () => {
  const caller = await newCaller();
  const nodes = '    done:\n      type: end\n      output: {}\n      nxet: done\n    lost: { type: walk }';
  const { status, body: refused } = await send(caller, body(nodes));
  expect([status, refused.code]).toEqual([400, 'invalid_flow']);
  expect(refused.errors).toMatchObject([
    { pointer: '/body/flow/nodes/done/nxet', line: 20, column: 7 },
    { pointer: '/body/flow/nodes/lost/type', line: 21, column: 13 },
  ]);
});

test('400 validation_failed has line and column, and a mistake in JSON has none', async () => {
  const caller = await newCaller();
  const { body: refused } = await send(caller, body().replace('flowid:', 'flowidd:'));
  expect(refused.code).toBe('validation_failed');
  expect(refused.errors).toContainEqual(expect.objectContaining({ pointer: '/body/flowidd', line: 2 }));
  const inJson = await send(caller, '{"flowidd": "a"}', { type: 'application/json' });
  expect(inJson.body.errors?.every((error) => !('line' in error))).toBe(true);
});

test('400 malformed_yaml has the position and does not quote the text', async () => {
  const caller = await newCaller();
  const { status, body: refused } = await send(caller, 'flowid: a\nflowid: hunter22');
  expect([status, refused.code]).toEqual([400, 'malformed_yaml']);
  expect(refused.detail).toContain('line 2, column 1');
  expect(refused.errors).toMatchObject([{ pointer: '/body', line: 2, column: 1 }]);
  expect(JSON.stringify(refused)).not.toContain('hunter22');
});

test('400 for names that reach for prototypes, as in JSON', async () => {
  const caller = await newCaller();
  const { status, body: refused } = await send(caller, `${body()}__proto__: { a: 1 }\n`);
  expect([status, refused.code]).toEqual([400, 'validation_failed']);
});

test('413 payload_too_large before the text is parsed', async () => {
  const caller = await newCaller();
  const { body: refused } = await send(caller, `a: "${'x'.repeat(3_000_001)}"`);
  expect(refused.code).toBe('payload_too_large');
});

test('415 where a route does not take YAML', async () => {
  const caller = await newCaller();
  const response = await fetch(`${serviceUrl()}/api/v1/api-keys`, {
    method: 'POST',
    body: 'name: a',
    headers: { 'x-api-key': caller.key, 'content-type': 'application/yaml' },
  });
  expect(response.status).toBe(415);
});
