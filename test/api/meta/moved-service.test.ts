// A service that has moved to another address and is still reached at the former one: what its cards say before and after
// the job `addresses`, and what becomes of those who have the former address.
import { AgentCard } from '@a2a-js/sdk';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, flattenedVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { operatorId } from '#lib/access/principal.ts';
import { newRow, promoted } from '#test/support/builders.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { canonicalCard, fetchCurrentCard } from '#test/support/cards.ts';
import { call } from '#test/support/client.ts';
import { liveAgent, type TestAgent } from '#test/support/flows.ts';
import { type MovingService, startMovingService } from '#test/support/moving-service.ts';
import { type Authorized, exchange, newCode, readTokens, refresh, type Tokens } from '#test/support/oauth.ts';
import { asTask, clientFactory, sending } from '#test/support/official-client.ts';
import { Browser, invite, newPerson, signIn } from '#test/support/person.ts';
import { runScript } from '#test/support/run-script.ts';
import { byTwilio, declareWebhook, type SentWebhook, secretOfTests } from '#test/support/webhook-senders.ts';

let moving: MovingService;
/** Two organisations, each with a live build and one in test. */
let agents: readonly (TestAgent & { readonly inTest: string })[];
let formerCards: readonly unknown[];
let authorized: Authorized;
let formerTokens: Tokens;
/** Of a person who has not signed in yet. */
let invited: string;
let webhook: Awaited<ReturnType<typeof declareWebhook>>;

async function newAgent(owner: TestCaller, visibility: 'public' | 'organization') {
  const agent = await liveAgent({ visibility }, owner);
  const { a2aregistryid: inTest } = await newRow(owner, { flowid: agent.flowid, visibility });
  return { ...agent, inTest };
}

beforeAll(async () => {
  moving = await startMovingService();
  agents = [await newAgent(await newCaller(), 'organization'), await newAgent(await newCaller(), 'public')];
  formerCards = await Promise.all(agents.map(async (agent) => await readCard(await readRow(agent), agent)));
  authorized = await newCode((await newPerson()).browser);
  formerTokens = await readTokens(await exchange(authorized));
  invited = (await invite()).email;
  webhook = await declareWebhook(first(), { type: 'twilio' });
  await moving.move();
});
afterAll(async () => await moving.close());

function first(): (typeof agents)[number] {
  const [agent] = agents;
  if (!agent) throw new Error('There is no agent.');
  return agent;
}

const readRow = async ({ key }: TestCaller, a2aregistryid?: string) =>
  (
    await call('getRegistryRow', {
      key,
      params: {
        a2aregistryid: a2aregistryid ?? agents.find((agent) => agent.key === key)?.a2aregistryid ?? '',
      },
    })
  ).body;
/** As it is served, with its signatures. */
const readCard = async ({ card_url }: { readonly card_url: string }, { key }: TestCaller) =>
  await fetchCurrentCard(card_url, key);
const ownerOf = ({ orgid }: { readonly orgid: string }) =>
  agents.find((agent) => agent.orgid === orgid) ?? first();
const allRows = async () =>
  await Promise.all(
    agents.flatMap((agent) => [readRow(agent, agent.a2aregistryid), readRow(agent, agent.inTest)]),
  );

const migrate = async (...options: string[]) => {
  const script = runScript(
    'migrate',
    ['--function', 'Migrate', 'addresses', ...options],
    moving.service().environment,
  );
  return { code: await script.ended, printed: script.printed() };
};

const signedCard = z.looseObject({
  supportedInterfaces: z.array(z.looseObject({ url: z.string() })),
  signatures: z.array(z.object({ protected: z.string(), signature: z.string() })),
});

/** Where the keys are that the card names, after one of its signatures was verified with them. */
async function verify(card: unknown): Promise<string> {
  const { signatures, ...rest } = signedCard.parse(card);
  const jku = String(decodeProtectedHeader({ ...signatures[0] }).jku);
  const payload = Buffer.from(canonicalCard(rest)).toString('base64url');
  const keys = createRemoteJWKSet(new URL(jku));
  await Promise.any(signatures.map((each) => flattenedVerify({ ...each, payload }, keys)));
  return jku;
}

const originsIn = (card: unknown) =>
  new Set(signedCard.parse(card).supportedInterfaces.map(({ url }) => new URL(url).origin));

async function ask(card: unknown, { key }: TestCaller) {
  const client = await clientFactory(key).createFromAgentCard(AgentCard.fromJSON(card));
  return asTask(await client.sendMessage(sending('hello'))).status?.state;
}

describe('before the job', () => {
  test('cards and URLs are the former ones, whose signatures are good at the former address', async () => {
    for (const row of await allRows()) {
      expect(row.hosted_url).toContain(`${moving.former}/`);
      expect(await verify(await readCard(row, ownerOf(row)))).toBe(`${moving.former}/.well-known/jwks.json`);
    }
  });

  test('a new build has the new address at once', async () => {
    const row = await newRow(first());
    expect([row.hosted_url, row.card_url].every((url) => url.startsWith(`${moving.next}/`))).toBe(true);
    expect(await verify(await readCard(row, first()))).toBe(`${moving.next}/.well-known/jwks.json`);
  });
});

describe('the job', () => {
  test('gives all rows of all organisations the new address, and says how many', async () => {
    const before = await allRows();
    expect((await migrate('--status')).printed).toContain('addresses: new, 0 items seen');
    const { code, printed } = await migrate();
    expect({ code, printed }).toEqual({
      code: 0,
      printed: expect.stringMatching(/addresses: done, \d+ items seen, 4 changed, 0 failed/),
    });
    for (const [n, row] of (await allRows()).entries()) {
      const { version = 0, status } = before[n] ?? {};
      expect(row).toMatchObject({ version: version + 1, status });
      expect([row.hosted_url, row.card_url].every((url) => url.startsWith(`${moving.next}/`))).toBe(true);
      const card = await readCard(row, ownerOf(row));
      expect([...originsIn(card)]).toEqual([moving.next]);
      expect(await verify(card)).toBe(`${moving.next}/.well-known/jwks.json`);
    }
  });

  test('leaves a change of the operator in the history of each row', async () => {
    const { key, a2aregistryid } = first();
    const { body } = await call('getRegistryRowHistory', { key, params: { a2aregistryid } });
    expect(body.items[0]).toMatchObject({
      action: 'updated',
      by: operatorId,
      from: 'live',
      to: 'live',
      changed: ['agent_card', 'hosted_url', 'card_url'],
    });
  });

  test('has nothing to do the second time', async () => {
    expect((await migrate()).printed).toMatch(/addresses: done, \d+ items seen, 0 changed, 0 failed/);
  });

  test('lets a build go live that it has moved, with a good card', async () => {
    const agent = first();
    const row = await promoted(agent, { a2aregistryid: agent.inTest });
    expect(row.status).toBe('live');
    expect(await verify(await readCard(row, agent))).toBe(`${moving.next}/.well-known/jwks.json`);
    await promoted(agent, agent);
  });
});

describe('at the former address', () => {
  test('a client with the former card is answered, and its signature is still good', async () => {
    for (const [n, card] of formerCards.entries()) {
      expect(await verify(card)).toBe(`${moving.former}/.well-known/jwks.json`);
      expect([...originsIn(card)]).toEqual([moving.former]);
      expect(await ask(card, agents[n] ?? first())).toBe(3);
    }
  });

  test('a client that reads the card there gets the one with the new address', async () => {
    const { key, flowid } = first();
    const factory = clientFactory(key);
    const client = await factory.createFromUrl(`${moving.former}/api/v1/ai/a2a/${flowid}/`);
    expect([...originsIn(AgentCard.toJSON(await client.getAgentCard()))]).toEqual([moving.next]);
    expect(asTask(await client.sendMessage(sending('hello'))).status?.state).toBe(3);
  });

  test('an API key is taken as at the new one', async () => {
    const { key, workspaceid } = first();
    for (const address of [moving.former, moving.next]) {
      const url = `${address}/api/v1/a2a-registry?workspaceid=${workspaceid}`;
      expect((await fetch(url, { headers: { 'x-api-key': key } })).status).toBe(200);
    }
  });

  test.each([
    '/console',
    '/console/runs/run_1?status=failed&status=completed',
    '/auth/login?orgid=org_1&return_to=%2Fauth%2Fsession',
    '/auth/callback?code=c&state=s',
    '/auth/session',
    '/oauth/authorize?client_id=c&resource=https%3A%2F%2Fx.example%2Fmcp',
    '/oauth/consent/abc',
    '/public/agent-config?token=t',
  ])('a browser that asks for the page %s gets to it at the new one', async (path) => {
    const response = await fetch(`${moving.former}${path}`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, `${moving.next}${path}`]);
    expect(response.headers.get('referrer-policy')).toMatch(/no-referrer|same-origin/);
    const there = await fetch(`${moving.next}${path}`, { redirect: 'manual' });
    expect(there.headers.get('location') ?? '').not.toContain(`${moving.next}${path}`);
  });

  test('the root leads to the console, and from there to the new address', async () => {
    const response = await fetch(`${moving.former}/`);
    expect(response.url).toBe(`${moving.next}/console`);
  });

  test('a form that was opened there is refused', async () => {
    const response = await fetch(`${moving.former}/public/agent-config`, {
      method: 'POST',
      headers: { origin: moving.former, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'token=t',
    });
    expect(response.status).toBe(403);
  });

  test('an event that its sender has signed for that address is accepted, and only there', async () => {
    const { webhookId } = webhook;
    const post = async (address: string, sent: SentWebhook) => {
      const { text: body, headers } = sent;
      return (await fetch(`${address}/public/webhooks/${webhookId}`, { method: 'POST', body, headers }))
        .status;
    };
    const sentTo = (address: string) =>
      byTwilio(secretOfTests, `${address}/public/webhooks/${webhookId}`, {
        MessageSid: `SM${crypto.randomUUID()}`,
      });
    for (const address of [moving.former, moving.next])
      expect(await post(address, sentTo(address))).toBeLessThan(300);
    expect(await post(moving.next, sentTo(moving.former))).toBe(401);
  });
});

describe('a client that a person has connected to the former address', () => {
  const use = async (address: string, token: string) =>
    (
      await fetch(`${address}/api/v1/ai/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      })
    ).status;

  test('has to renew its access token, whose issuer is the former address, and continues with the next one', async () => {
    expect(decodeJwt(formerTokens.access_token).iss).toBe(moving.former);
    expect(await use(moving.former, formerTokens.access_token)).toBe(401);
    const resource = `${moving.former}/api/v1/ai/mcp`;
    const renewed = await readTokens(await refresh(authorized, formerTokens.refresh_token, { resource }));
    const { iss, aud } = decodeJwt(renewed.access_token);
    expect({ iss, aud }).toEqual({ iss: moving.next, aud: resource });
    expect(await use(moving.former, renewed.access_token)).toBe(200);
  });

  test('a client that is connected now has the new address', async () => {
    const browser = new Browser();
    expect((await signIn(browser, invited)).status).toBe(303);
    const tokens = await readTokens(await exchange(await newCode(browser)));
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      iss: moving.next,
      aud: `${moving.next}/api/v1/ai/mcp`,
    });
    expect(await use(moving.next, tokens.access_token)).toBe(200);
  });
});
