// Streams of a key that is revoked, or that expires, while they are open: they end with the next beat, and
// say why.
import { expect, test } from 'vitest';
import { issueApiKey } from '#lib/access/api-key.ts';
import { permissions } from '#lib/access/permission.ts';
import { routes } from '#lib/routes/routes.ts';
import { agentUrls, newMessage, post, readTaskId, rpc } from '#test/support/a2a.ts';
import { flow } from '#test/support/builders.ts';
import { unique } from '#test/support/caller.ts';
import { buildUrl, call } from '#test/support/client.ts';
import { callingFlow, liveAgent, type TestAgent } from '#test/support/flows.ts';
import { startUpstream } from '#test/support/upstream.ts';

/** A beat, and what a machine that is busy takes for it. */
const beatSeconds = 10;

const restingFlow = flow({ start: 'rest', nodes: { rest: { type: 'wait', seconds: 3_600 } } });

/** Reads a stream up to the refusal, or to its end without one; `end` reads what comes after it. */
async function untilRefused(response: Response) {
  const from = performance.now();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const read = async (isEnough: () => boolean) => {
    while (!isEnough()) {
      const chunk = await reader?.read();
      if (!chunk || chunk.done) return;
      text += chunk.value;
    }
  };
  await read(() => /unauthenticated|revoked/.test(text));
  const seconds = (performance.now() - from) / 1_000;
  const end = async () => {
    await read(() => false);
    return text.trimEnd().split('\n\n').at(-1);
  };
  return { seconds, end };
}

const request = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
const startTask = async ({ key, ...agent }: TestAgent) =>
  readTaskId(
    (
      await rpc(agentUrls(agent).live, key, 'SendMessage', {
        message: newMessage('x'),
        configuration: { returnImmediately: true },
      })
    ).result,
  );

async function newAgentKey(agent: TestAgent) {
  const scopes = ['assistants.flows:read', 'assistants.flows:run'];
  const body = { label: 'One', workspaces: '*', scopes };
  const { keyid, token } = (await call('createApiKey', { key: agent.key, body })).body;
  return { keyid, key: token };
}

/** The events of a run, a task, and a run of their own, each followed with the key. */
async function streams(agent: TestAgent, key: string, working: TestAgent) {
  const id = await startTask({ ...agent, key });
  const events = fetch(buildUrl(routes.followRun, { params: { workflow_id: id } }), {
    headers: { 'x-api-key': key },
  });
  const subscribed = post(agentUrls(agent).live, { key, text: request('SubscribeToTask', { id }) });
  const text = request('SendStreamingMessage', { message: newMessage('x') });
  return await Promise.all([events, subscribed, post(agentUrls(working).live, { key, text })]);
}

const rpcRefusal =
  /^data: .*"id":7.*"error":\{"code":-32600,"message":"The credentials were revoked or have expired."/;

/** Within that time; `release` lets the work end that is under way, and the function with it. */
async function expectRefused(responses: readonly Response[], secondsMax: number, release: () => void) {
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  const refused = await Promise.all(responses.map(untilRefused));
  for (const { seconds } of refused) expect(seconds).toBeLessThan(secondsMax);
  release();
  const [events, ...tasks] = await Promise.all(refused.map(({ end }) => end()));
  expect(events).toBe('event: unauthenticated\ndata: {"code":"unauthenticated"}');
  for (const last of tasks) expect(last).toMatch(rpcRefusal);
}

test('revocation and expiry of a key end all of its streams with the reason', async () => {
  const upstream = await startUpstream();
  try {
    const agent = await liveAgent({ flow: restingFlow });
    const gates = [unique('gate'), unique('gate')] as const;
    const working = await Promise.all(
      gates.map((gate) => liveAgent({ flow: callingFlow(upstream, [`gate/${gate}`]) }, agent)),
    );
    const [first, second] = working;
    if (!first || !second) throw new Error('There are two agents.');
    const revoked = await newAgentKey(agent);
    const shortLived = await issueApiKey({
      id: unique('key'),
      orgid: agent.orgid,
      workspaces: '*',
      scopes: permissions,
      issuedAt: Math.floor(Date.now() / 1_000),
      // With five seconds of clock skew it holds a little longer.
      lifetimeSeconds: 8,
    });
    const ofRevoked = await streams(agent, revoked.key, first);
    const ofExpired = await streams(agent, shortLived, second);
    await call('revokeApiKey', { key: agent.key, params: { keyid: revoked.keyid } });
    await Promise.all([
      expectRefused(ofRevoked, 2 * beatSeconds, () => upstream.open(gates[0])),
      expectRefused(ofExpired, 4 * beatSeconds, () => upstream.open(gates[1])),
    ]);
  } finally {
    await upstream.close();
  }
});
