// The AWS calls and capacity units of warm requests and of messages of queues, counted by proxies in front of the
// engines and compared with docs/aws-calls.md and docs/costs.md. The handlers run in this process, as in Lambda,
// with the events of `events/`.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventSources } from '#lib/routes/event-sources.ts';
import { type OperationId, routeList } from '#lib/routes/routes.ts';
import { newRow } from '#test/support/builders.ts';
import {
  asked,
  consume,
  cost,
  functionCost,
  invoke,
  messageCost,
  startCounting,
} from '#test/support/call-cost.ts';
import { newCaller } from '#test/support/caller.ts';
import { costsPage, dollars, type Priced } from '#test/support/costs-page.ts';
import { messageCases } from '#test/support/message-cases.ts';
import { captureDeliveries } from '#test/support/push.ts';
import { startRequestReceiver } from '#test/support/receiver.ts';
import { requestCases, rowParams } from '#test/support/request-cases.ts';
import { isAllowed, rolePolicies } from '#test/support/role-policies.ts';
import { ownQueue } from '#test/support/runs.ts';
import { sixteenKilobytes } from '#test/support/sixteen-kilobytes.ts';
import { standingCosts } from '#test/support/standing-costs.ts';

let closeCounters: () => Promise<void>;
beforeAll(async () => {
  closeCounters = await startCounting();
});
afterAll(() => closeCounters());

/** Operations without a case, each with the reason. */
const withoutCase: Readonly<Partial<Record<OperationId, string>>> = {
  testRegistryRow: 'reads as `get with flow=true` does; its tests call nothing',
  followRun: 'reads as long as somebody listens',
  callTestAgent: 'as callLiveAgent, which finds its build in one read more',
  callAgent: 'as callLiveAgent, which finds its build in one read more',
  getTestCard: 'as getLiveCard, which finds its build in one read more',
  getAgentCard: 'as getLiveCard, which finds its build in one read more',
  getRootCard: 'as getLiveCard',
  setCallbackSecret: 'as setWebhookSecret',
  getCallbackSecret: 'as getWebhookSecret',
  deleteCallbackSecret: 'as deleteWebhookSecret',
  getOpenapi: 'calls nothing',
  getConsole: 'calls nothing',
  getFlowSchema: 'calls nothing',
  getHealth: 'calls nothing',
};

test('every operation has a case, or a stated reason to have none', () => {
  const counted = new Set<string>(Object.values(requestCases).map(({ operation }) => operation));
  const ids = routeList.map(([id]) => id);
  const excused = Object.keys(withoutCase);
  const missing = ids.filter((id) => !counted.has(id) && !excused.includes(id));
  expect(missing, 'add a case to test/support/request-cases.ts, or a reason to `withoutCase`').toEqual([]);
  expect(
    excused.filter((id) => counted.has(id) || !ids.includes(id)),
    'remove from `withoutCase`',
  ).toEqual([]);
});

/** Rows of the table, `| request | DynamoDB | KMS | SQS | Lambda |`, as request → "DynamoDB KMS SQS Lambda". */
function documented(): Record<string, string> {
  const text = readFileSync(new URL('../../docs/aws-calls.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| (\w+: .+?) +\| (\d+) +\| (\d+) +\| (\d+) +\| (\d+) +\|$/gm)];
  return Object.fromEntries(rows.map(([, says = '', ...counts]) => [says, counts.join(' ')]));
}

const measured: Record<string, Priced> = {};
beforeAll(async () => {
  for (const [says, { operation, prepare, isRepeated, hasVaryingUnits = false }] of Object.entries(
    requestCases,
  )) {
    const caller = await newCaller();
    const options = await prepare(caller);
    // Fills the caches of the process: the signing key, and the state of the caller's key.
    await invoke('getRegistryRow', caller, { ...rowParams(await newRow(caller)), query: {} });
    if (isRepeated) await invoke(operation, caller, options);
    measured[says] = { operation, hasVaryingUnits, ...(await cost(operation, caller, options)) };
  }
});

beforeAll(async () => {
  // Queues of this process, so that the functions of the host take none of its messages.
  await using _queue = await ownQueue();
  const queue = await captureDeliveries();
  const receiver = await startRequestReceiver();
  for (const [says, { queue: consumer, prepare, laterMs }] of Object.entries(messageCases)) {
    const next = await prepare(await newCaller(), { receiver, deliveries: queue.bodies });
    await consume(consumer, await next(), laterMs);
    const body = await next();
    measured[says] = { queue: consumer, ...(await messageCost(consumer, body, laterMs)) };
  }
  await Promise.all([queue.close(), receiver.close()]);
});

beforeAll(async () => {
  const { a2aregistryid } = await newRow(await newCaller());
  const event = { a2aregistryid, form: 'test' };
  measured['signer: sign a card'] = {
    invoked: 'signCard',
    ...(await functionCost(eventSources.signCard.entry, event)),
  };
});

test('a warm request makes exactly the AWS calls that docs/aws-calls.md lists', () => {
  const calls = Object.entries(measured).map(([says, { dynamodb, kms, sqs, lambda }]) => [
    says,
    `${dynamodb} ${kms} ${sqs} ${lambda}`,
  ]);
  expect(Object.fromEntries(calls)).toEqual(documented());
});

test('the role of the function allows each call to DynamoDB', () => {
  const policies = rolePolicies();
  const refused = asked.filter(({ entry, wanted }) => !isAllowed(policies.get(entry) ?? [], wanted));
  expect(asked.length).toBeGreaterThan(200);
  expect(refused).toEqual([]);
});

test('a million builds with a flow of 16 KB cost at most $35 to create, without a signature', () => {
  const created = measured['registry: create with a flow of 16 KB'];
  if (!created) throw new Error('There is no such case.');
  expect(JSON.stringify(sixteenKilobytes).length).toBeGreaterThan(16_384);
  expect(created.signatures).toBe(0);
  expect(created.writeUnits).toBeLessThanOrEqual(44);
  expect(dollars(created)).toBeLessThanOrEqual(35);
});

test('a million warm requests cost what docs/costs.md states (`npm run costs` writes it)', async () => {
  await expect(costsPage(measured, standingCosts())).toMatchFileSnapshot('../../docs/costs.md');
});
