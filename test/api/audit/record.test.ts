// The function that writes the audit trail, called in this process as CloudWatch Logs calls it; what it wrote
// is read over HTTP.
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { handler } from '#functions/audit/record.ts';
import type { AuditEntry } from '#lib/audit/audit-record.ts';
import { type AwsProxy, startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { listTouches } from '#test/support/dynamo-touches.ts';
import { lambdaContext, readEvent } from '#test/support/events.ts';
import { formatRecord, linesEvent } from '#test/support/printed-records.ts';

let proxy: AwsProxy;
let judge: (operation: string, body: string) => Verdict = () => 'pass';
beforeAll(async () => {
  const upstream = process.env.AWS_ENDPOINT_URL_DYNAMODB;
  if (!upstream) throw new Error('This test needs the local host: run it without BASE_URL.');
  proxy = await startAwsProxy(upstream, (operation, body) => judge(operation, body.toString()));
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
});
afterEach(() => {
  judge = () => 'pass';
  proxy.calls.length = 0;
});
afterAll(() => proxy.close());

const deliver = async (lines: readonly string[], some?: object) =>
  await handler(linesEvent(lines, some), lambdaContext());
const entry = (caller: TestCaller, some: Partial<AuditEntry> = {}): AuditEntry => ({
  at: new Date(Date.now() - 60_000).toISOString(),
  requestid: crypto.randomUUID(),
  operation: 'registry/list',
  caller: caller.id,
  orgid: caller.orgid,
  workspaceid: caller.workspaceid,
  status: 200,
  ...some,
});
const entries = (caller: TestCaller, count: number) => Array.from({ length: count }, () => entry(caller));
const byRequest = (records: readonly AuditEntry[]) =>
  records.toSorted((a, b) => (a.requestid < b.requestid ? -1 : 1));
const trail = async ({ key, id, workspaceid }: TestCaller) => {
  const { body } = await call('listAudit', { key, query: { workspaceid, limit: '200' } });
  return byRequest(
    body.items.filter((record) => record.caller === id && record.operation !== 'access/list-audit'),
  );
};

describe('a delivery', () => {
  test('of more lines than one DynamoDB batch is written completely', async () => {
    const caller = await newCaller();
    const all = entries(caller, 60);
    await deliver(all.map(formatRecord));
    expect(proxy.calls).toEqual(['BatchWriteItem', 'BatchWriteItem', 'BatchWriteItem']);
    expect(await trail(caller)).toEqual(byRequest(all));
  });

  test('that arrives again has no second effect', async () => {
    const caller = await newCaller();
    const lines = entries(caller, 3).map(formatRecord);
    await deliver(lines);
    const once = await trail(caller);
    await deliver(lines);
    await deliver([...lines, ...lines]);
    expect(await trail(caller)).toEqual(once);
    expect(once).toHaveLength(3);
  });

  test('is written completely even if DynamoDB returns unprocessed items', async () => {
    const caller = await newCaller();
    let refusals = 2;
    judge = (_operation, body) => {
      refusals -= 1;
      if (refusals < 0) return 'pass';
      const { RequestItems } = JSON.parse(body);
      return { status: 200, error: { UnprocessedItems: RequestItems } };
    };
    const all = entries(caller, 2);
    await deliver(all.map(formatRecord));
    expect(proxy.calls).toHaveLength(3);
    expect(await trail(caller)).toEqual(byRequest(all));
  });

  test('that is empty or a control message writes nothing', async () => {
    await deliver([]);
    await deliver([formatRecord(entry(await newCaller()))], { messageType: 'CONTROL_MESSAGE' });
    expect(proxy.calls).toEqual([]);
  });

  test('fails when DynamoDB refuses it, so that it is retried', async () => {
    const caller = await newCaller();
    const all = entries(caller, 2);
    judge = () => ({ status: 400, error: { __type: 'AccessDeniedException', message: 'No.' } });
    await expect(deliver(all.map(formatRecord))).rejects.toThrow('No.');
    judge = () => 'pass';
    await deliver(all.map(formatRecord));
    expect(await trail(caller)).toEqual(byRequest(all));
  });

  test('that is malformed fails, so that an operator sees it', async () => {
    const text = (data: string) => handler({ awslogs: { data } }, lambdaContext());
    await expect(text('')).rejects.toThrow();
    await expect(text(Buffer.from('{}').toString('base64'))).rejects.toThrow();
  });

  test('of the form of the sample event is accepted', async () => {
    const writes: string[] = [];
    judge = (operation, body) => {
      for (const { sk = '' } of listTouches(operation, Buffer.from(body))) writes.push(sk);
      return 'pass';
    };
    const { awslogs } = Object(readEvent('audit/record'));
    await handler({ awslogs }, lambdaContext());
    expect(writes).toEqual([expect.stringMatching(/^2026-.+Z#/), expect.stringMatching(/^2026-.+Z#/)]);
  });
});

describe('a line that is not a record', () => {
  const bad: readonly [string, (good: AuditEntry) => string][] = [
    ['no JSON', () => 'START RequestId: 1'],
    ['cut off', (good) => formatRecord(good).slice(0, -5)],
    ['of something else', () => '{"level":"INFO","message":"request"}'],
    ['with more than a record holds', (good) => JSON.stringify({ audit: { ...good, body: 'secret' } })],
    ['without a time', (good) => JSON.stringify({ audit: { ...good, at: 'now' } })],
    ['of an organisation that cannot be', (good) => formatRecord({ ...good, orgid: 'a#b' })],
    ['of a workspace that cannot be', (good) => formatRecord({ ...good, workspaceid: 'a#b' })],
    ['with an id too long for a key', (good) => formatRecord({ ...good, requestid: 'x'.repeat(2_000) })],
  ];

  test.each(bad)('%s: is skipped, and the other lines are written', async (_name, badLine) => {
    const caller = await newCaller();
    const [before, after] = [entry(caller), entry(caller)];
    await deliver([formatRecord(before), badLine(entry(caller)), formatRecord(after)]);
    expect(await trail(caller)).toEqual(byRequest([before, after]));
  });

  test('the trail has each record once, however lines are split into deliveries, repeated and mixed', async () => {
    const plan = fc.array(fc.array(fc.nat({ max: 11 }), { maxLength: 40 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(plan, async (deliveries) => {
        const caller = await newCaller();
        const all = entries(caller, 12);
        // Each fourth line is broken.
        const lines = all.map((each, n) => (n % 4 === 3 ? formatRecord(each).slice(1) : formatRecord(each)));
        for (const picks of deliveries) await deliver(picks.map((n) => lines[n] ?? ''));
        const said = new Set(deliveries.flat());
        expect(await trail(caller)).toEqual(byRequest(all.filter((_, n) => said.has(n) && n % 4 !== 3)));
      }),
      { numRuns: 15 },
    );
  });
});

describe('a record', () => {
  const items = (body: string): readonly { readonly pk: { S: string }; readonly ttl: { N: string } }[] =>
    Object.values(JSON.parse(body).RequestItems)
      .flat()
      .map((write) => Object(write).PutRequest.Item);

  test('is kept for the retention time of the tenant', async () => {
    const caller = await newCaller();
    const found: number[] = [];
    judge = (_operation, body) => {
      for (const { ttl } of items(body)) found.push(Number(ttl.N));
      return 'pass';
    };
    const one = entry(caller, { at: '2026-01-01T00:00:00.000Z' });
    await deliver([formatRecord(one)]);
    const usual = process.env.AUDIT_RETENTION_DAYS;
    process.env.AUDIT_RETENTION_DAYS = '30';
    await deliver([formatRecord(one)]).finally(() =>
      Object.assign(process.env, { AUDIT_RETENTION_DAYS: usual }),
    );
    expect(found.map((ttl) => new Date(ttl * 1_000).toISOString().slice(0, 10))).toEqual([
      '2027-01-01',
      '2026-01-31',
    ]);
  });

  test('of an unauthenticated caller is stored where no organisation can read it', async () => {
    const places: string[] = [];
    judge = (_operation, body) => {
      for (const { pk } of items(body)) places.push(pk.S);
      return 'pass';
    };
    const {
      orgid: _,
      workspaceid: __,
      ...nobody
    } = entry(await newCaller(), { caller: unique('anonymous') });
    await deliver([formatRecord({ ...nobody, status: 401 })]);
    expect(places).toEqual([`AUDIT#-#-#${nobody.at.slice(0, 10)}`]);
  });
});
