// What callers see when AWS fails: proxies in front of the engines answer in their place. The handlers run in
// this process, so that no other test is disturbed.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as create from '#functions/registry/create.ts';
import * as remove from '#functions/registry/delete.ts';
import * as get from '#functions/registry/get.ts';
import * as list from '#functions/registry/list.ts';
import * as promoteLive from '#functions/registry/promote-live.ts';
import * as rollback from '#functions/registry/rollback.ts';
import { errorTable } from '#lib/errors.ts';
import { problem } from '#lib/http/problem.ts';
import { type AwsProxy, startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';
import { createBody, newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { eventFor, lambdaContext } from '#test/support/events.ts';
import { implementationNames } from '../../support/implementation-names.ts';

const handlers = {
  createRegistryRow: create.handler,
  getRegistryRow: get.handler,
  listRegistryRows: list.handler,
  promoteRegistryRow: promoteLive.handler,
  rollBackRegistryRow: rollback.handler,
  deleteRegistryRow: remove.handler,
};

const proxies: AwsProxy[] = [];
let judge: (operation: string) => Verdict = () => 'pass';

beforeAll(async () => {
  for (const service of ['DYNAMODB', 'KMS']) {
    const upstream = process.env[`AWS_ENDPOINT_URL_${service}`];
    if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
    const proxy = await startAwsProxy(upstream, (operation) => judge(operation));
    process.env[`AWS_ENDPOINT_URL_${service}`] = proxy.url;
    proxies.push(proxy);
  }
});
afterEach(() => {
  judge = () => 'pass';
});
afterAll(async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))));

const answer = z.looseObject({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

async function refusal(
  operation: keyof typeof handlers,
  caller: TestCaller,
  options: Omit<Parameters<typeof eventFor>[1], 'key'>,
) {
  const event = eventFor(operation, { key: caller.key, ...options });
  const { statusCode, headers, body } = answer.parse(await handlers[operation](event, lambdaContext()));
  const given = problem.parse(JSON.parse(body));
  expect(statusCode).toBe(given.status);
  expect(headers['x-request-id']).toBe(given.instance);
  expect(body).not.toMatch(/secret of aws/i);
  expect(body).not.toMatch(implementationNames);
  return { code: given.code, status: given.status, retryAfter: headers['retry-after'] };
}

const failing = (operation: string, verdict: Verdict) => {
  judge = (called) => (called === operation ? verdict : 'pass');
};
const awsError = (type: string, status = 400, more: object = {}): Verdict => ({
  status,
  error: { __type: `com.amazonaws#${type}`, message: 'A secret of AWS.', ...more },
});
const conflict = awsError('TransactionCanceledException', 400, {
  CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }, { Code: 'None' }],
});
const newRowRequest = async (caller: TestCaller) => ({
  params: { a2aregistryid: (await newRow(caller)).a2aregistryid },
});
const expected = (code: keyof typeof errorTable) => ({ code, status: errorTable[code].status });

describe('503', () => {
  test.each<[string, Verdict]>([
    ['a table that is throttled', awsError('ProvisionedThroughputExceededException')],
    ['a failing table', awsError('InternalServerError', 500)],
    ['a connection that breaks', 'reset'],
  ])('%s gives dependency_unavailable with Retry-After', async (_what, verdict) => {
    const caller = await newCaller();
    const options = { ...(await newRowRequest(caller)), query: {} };
    failing('GetItem', verdict);
    expect(await refusal('getRegistryRow', caller, options)).toEqual({
      ...expected('dependency_unavailable'),
      retryAfter: '2',
    });
  });

  test('KMS is unavailable when a flow is encrypted or decrypted', async () => {
    const caller = await newCaller();
    const options = { ...(await newRowRequest(caller)), query: { flow: 'true' } };
    failing('Decrypt', awsError('KMSInternalException', 500));
    expect(await refusal('getRegistryRow', caller, options)).toMatchObject(
      expected('dependency_unavailable'),
    );
    failing('GenerateDataKey', awsError('ThrottlingException'));
    const creation = { query: { workspaceid: caller.workspaceid }, body: createBody() };
    expect(await refusal('createRegistryRow', caller, creation)).toMatchObject(
      expected('dependency_unavailable'),
    );
  });
});

describe('500', () => {
  test('a flow that cannot be decrypted is reported as unreadable, without details', async () => {
    const caller = await newCaller();
    const options = { ...(await newRowRequest(caller)), query: { flow: 'true' } };
    for (const error of ['DisabledException', 'InvalidCiphertextException', 'AccessDeniedException']) {
      failing('Decrypt', awsError(error));
      expect(await refusal('getRegistryRow', caller, options)).toMatchObject(expected('payload_unreadable'));
    }
  });

  test('an unexpected error reveals no details', async () => {
    const caller = await newCaller();
    failing('Query', awsError('ValidationException'));
    const options = { query: { workspaceid: caller.workspaceid } };
    expect(await refusal('listRegistryRows', caller, options)).toMatchObject(expected('internal'));
  });
});

describe('409', () => {
  test('a promotion, rollback, deletion or registration that only meets conflicts may be sent again', async () => {
    const caller = await newCaller();
    const options = await newRowRequest(caller);
    const former = await promoted(caller, await newRow(caller));
    const { a2aregistryid } = await promoted(caller, await newRow(caller, { flowid: former.flowid }));
    failing('TransactWriteItems', conflict);
    const creation = { query: { workspaceid: caller.workspaceid }, body: createBody() };
    const [promotion, rollback, removed, created] = await Promise.all([
      refusal('promoteRegistryRow', caller, options),
      refusal('rollBackRegistryRow', caller, { params: { a2aregistryid } }),
      refusal('deleteRegistryRow', caller, options),
      refusal('createRegistryRow', caller, creation),
    ]);
    for (const refused of [promotion, rollback])
      expect(refused).toEqual({ ...expected('promotion_conflict'), retryAfter: '1' });
    expect(removed).toEqual({ ...expected('version_conflict'), retryAfter: '1' });
    expect(created).toEqual({ ...expected('version_conflict'), retryAfter: '1' });
  });

  test('a failed registration releases its Idempotency-Key', async () => {
    const caller = await newCaller();
    const headers = { 'Idempotency-Key': unique('idem') };
    const creation = { query: { workspaceid: caller.workspaceid }, body: createBody(), headers };
    failing('TransactWriteItems', conflict);
    expect(await refusal('createRegistryRow', caller, creation)).toMatchObject(expected('version_conflict'));
    failing('TransactWriteItems', 'pass');
    const event = eventFor('createRegistryRow', { key: caller.key, ...creation });
    expect(answer.parse(await handlers.createRegistryRow(event, lambdaContext())).statusCode).toBe(201);
  });

  test('a failed registration leaves neither payload nor postings', async () => {
    const caller = await newCaller();
    failing('TransactWriteItems', conflict);
    const calls = proxies[0]?.calls ?? [];
    calls.length = 0;
    await refusal('createRegistryRow', caller, {
      query: { workspaceid: caller.workspaceid },
      body: createBody(),
    });
    // Written, and removed again.
    expect(calls.filter((call) => call === 'BatchWriteItem')).toHaveLength(2 + 2);
  });
});
