// When a signing secret that was set or removed holds: at once in the process that did it, and everywhere
// from the time that its answer states. The service is one such process here, and the test another.
import { afterEach, expect, test, vi } from 'vitest';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { buildEvent, invokeHere, load } from '#test/support/invocation.ts';

afterEach(() => {
  vi.useRealTimers();
});

const at = ({ key, flowid, workspaceid }: TestAgent) => ({
  key,
  params: { flow_id: flowid },
  query: { workspaceid },
});
const setSecret = async (agent: TestAgent) =>
  (await call('setWebhookSecret', { ...at(agent), body: {} })).body;

/** The status of an unsigned event, sent to the process of the service. */
const unsignedThere = async ({ key, flowid }: TestAgent) =>
  (await call('acceptWebhook', { key, params: { flow_id: flowid }, body: { event: 'x' } })).status;

/** The same, taken by this process. */
async function unsignedHere({ key, flowid }: TestAgent) {
  const { handler } = await load(() => import('#functions/trigger/accept-webhook.ts'));
  const event = buildEvent('trigger/accept-webhook', {
    key,
    params: { flow_id: flowid },
    body: { event: 'x' },
  });
  return (await invokeHere(handler, event)).statusCode;
}

test('after the first secret of a flow is set, the process that set it refuses the next unsigned event', async () => {
  const agent = await liveAgent();
  expect(await unsignedThere(agent)).toBe(202);
  await setSecret(agent);
  expect(await unsignedThere(agent)).toBe(401);
});

test('after the first secret of a flow is set, all other processes refuse unsigned events from `effective_at` on, within ten seconds', async () => {
  const agent = await liveAgent();
  expect(await unsignedHere(agent)).toBe(202);
  const { effective_at } = await setSecret(agent);
  const effective = Date.parse(effective_at);
  expect(effective - Date.now()).toBeLessThanOrEqual(10_000);
  // What this process remembers is as old as it can be.
  vi.useFakeTimers({ toFake: ['Date'], now: effective });
  expect(await unsignedHere(agent)).toBe(401);
});

test('after the secrets are removed, the process that removed them accepts unsigned events again', async () => {
  const agent = await liveAgent();
  await setSecret(agent);
  expect([await unsignedThere(agent), await unsignedHere(agent)]).toEqual([401, 401]);
  await call('deleteWebhookSecret', at(agent));
  const removed = Date.now();
  expect(await unsignedThere(agent)).toBe(202);
  vi.useFakeTimers({ toFake: ['Date'], now: removed + 10_000 });
  expect(await unsignedHere(agent)).toBe(202);
});

test('a callback secret takes effect at once, because it is not cached', async () => {
  const { key, workspaceid } = await liveAgent();
  const { body } = await call('setCallbackSecret', { key, query: { workspaceid }, body: {} });
  expect(Date.parse(body.effective_at)).toBeLessThanOrEqual(Date.now() + 1_000);
});
