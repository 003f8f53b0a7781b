// "Connect": the browser goes to an authorization server and comes back. Only the browser that began gets anything.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hiddenFields, openPage, submitForm, type WebPage, waitingTask } from '#test/support/agent-config.ts';
import {
  type AuthorizationServer,
  clientSecret,
  startAuthorizationServer,
} from '#test/support/authorization-server.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { listConnections, putConnection } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent } from '#test/support/flows.ts';
import { runState } from '#test/support/run-calls.ts';

let server: AuthorizationServer;
beforeAll(async () => {
  server = await startAuthorizationServer();
});
beforeEach(() => server.be('giving'));
afterAll(async () => await server.close());

const calendarTask = async () =>
  await waitingTask(JSON.parse(JSON.stringify({ calendar: server.connection() })));

interface Leaving {
  readonly page: WebPage;
  readonly cookie: string;
  /** The authorization request. */
  readonly url: URL;
}

/** Opens the link, and presses "Connect". */
async function connect(link: string): Promise<Leaving> {
  const page = await submitForm(link, { ...hiddenFields(await openPage(link)), action: 'connect' });
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
  const href = /<a class="button" href="([^"]*)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&');
  return { page, cookie, url: new URL(href ?? '') };
}

/** Goes there, and comes back with the cookie of the browser. */
async function comeBack({ url, cookie }: Pick<Leaving, 'url' | 'cookie'>): Promise<WebPage> {
  const there = await fetch(url, { redirect: 'manual' });
  return await openPage(there.headers.get('location') ?? '', { headers: { cookie } });
}

describe('303', () => {
  test('an account that was connected is stored with its refresh token, and the task completes by itself', async () => {
    const { link, agent, id } = await calendarTask();
    const leaving = await connect(link);
    expect(leaving.page.headers.get('set-cookie')).toMatch(/; Path=\/; HttpOnly; SameSite=Lax/);
    expect(Object.fromEntries(leaving.url.searchParams)).toMatchObject({
      access_type: 'offline',
      response_type: 'code',
      client_id: 'flows',
      scope: 'calendar.read',
      code_challenge_method: 'S256',
    });
    expect(leaving.url.href).not.toContain(new URL(link).searchParams.get('token'));
    const back = await comeBack(leaving);
    expect([back.status, back.location]).toEqual([303, link]);
    await idle();
    expect((await openPage(link)).text).toContain('Task: completed');
    expect((await runState(agent, id)).status).toBe('completed');
    expect(await listConnections(agent)).toMatchObject([
      { name: 'calendar', type: 'oauth_user', scope: 'user', hosts: ['api.calendar.example'] },
    ]);
  });

  test('a client with a secret is one that the workspace has stored; its account is asked for after the client', async () => {
    const { agent } = await calendarTask();
    const calendar = server.connection(
      {},
      { client: 'calendar_app', client_id: undefined, token_url: undefined },
    );
    const calendar_app = { type: 'oauth_client_credentials', hosts: [server.host] };
    const { link, agent: owner } = await waitingTask(JSON.parse(JSON.stringify({ calendar, calendar_app })));
    expect((await openPage(link)).text).toContain('Client secret');
    const credential = {
      token_url: `${server.url}/token`,
      client_id: 'confidential',
      client_secret: clientSecret,
    };
    await putConnection(owner, 'calendar_app', { ...calendar_app, credential });
    await idle();
    const { link: next } = await waitingTask({}, owner);
    const leaving = await connect(next);
    expect(leaving.url.searchParams.get('client_id')).toBe('confidential');
    expect(leaving.url.href).not.toContain(clientSecret);
    expect((await comeBack(leaving)).status).toBe(303);
    expect(agent.orgid).not.toBe(owner.orgid);
  });
});

describe('400', () => {
  const expectFailure = (page: WebPage, text: string) => {
    expect([page.status, page.code]).toEqual([400, 'authorization_failed']);
    expect(page.text).toContain(text);
  };

  test('consent that was denied, another issuer, and no refresh token store nothing, and one can try again', async () => {
    const { link, agent } = await calendarTask();
    for (const [mood, text] of [
      ['denying', 'You did not give access'],
      ['naming another issuer', 'did not come from the server that was asked'],
      ['giving no refresh token', 'no refresh token'],
      ['away', 'is not available'],
    ] as const) {
      server.be(mood);
      const page = await comeBack(await connect(link));
      expectFailure(page, text);
      expect(page.html).toContain('Try again');
    }
    expect(await listConnections(agent)).toEqual([]);
    server.be('giving');
    expect((await comeBack(await connect(link))).status).toBe(303);
  });

  test('a code that was used, or is of nobody, stores nothing', async () => {
    const { link, agent } = await calendarTask();
    const { url, cookie } = await connect(link);
    const there = await fetch(url, { redirect: 'manual' });
    const back = new URL(there.headers.get('location') ?? '');
    back.searchParams.set('code', 'of-nobody');
    expectFailure(await openPage(back.href, { headers: { cookie } }), 'invalid_grant');
    expect(await listConnections(agent)).toEqual([]);
  });

  test('another browser, no browser, and a state that was changed are refused, and see nothing of the task', async () => {
    const { link, agent } = await calendarTask();
    const other = await calendarTask();
    const mine = await connect(link);
    const theirs = await connect(other.link);
    const there = await fetch(mine.url, { redirect: 'manual' });
    const back = new URL(there.headers.get('location') ?? '');
    const changed = new URL(back);
    changed.searchParams.set('state', `${back.searchParams.get('state')?.slice(0, -2)}xx`);
    const none = new URL(back);
    none.search = '';
    for (const [url, cookie] of [
      [back, theirs.cookie],
      [back, ''],
      [changed, mine.cookie],
      [none, mine.cookie],
    ] as const) {
      const page = await openPage(url.href, { headers: { cookie } });
      expectFailure(page, 'This browser has not asked for it');
      expect(page.text).not.toContain(agent.orgid);
    }
    expect(await listConnections(agent)).toEqual([]);
    expect((await openPage(back.href, { headers: { cookie: mine.cookie } })).status).toBe(303);
  });

  test('an authorization endpoint without https is followed on a laptop only', async () => {
    const oauth = { authorization_url: 'http://accounts.example/authorize' };
    const { link } = await waitingTask(
      JSON.parse(JSON.stringify({ calendar: server.connection({}, oauth) })),
    );
    const page = await submitForm(link, { ...hiddenFields(await openPage(link)), action: 'connect' });
    expectFailure(page, 'without https');
  });
});

describe('404', () => {
  test('a response for a task whose key was revoked is configuration_link_not_found', async () => {
    const operator = await newCaller();
    const { body } = await call('createApiKey', {
      key: operator.key,
      body: { label: 'Phone app', scopes: ['assistants.flows:run'], workspaces: '*' },
    });
    const connections = JSON.parse(JSON.stringify({ calendar: server.connection() }));
    const agent = await liveAgent({ flow: flow({ connections }) }, operator);
    const { link } = await waitingTask({}, { ...agent, key: body.token, id: body.keyid });
    const leaving = await connect(link);
    await call('revokeApiKey', { key: operator.key, params: { keyid: body.keyid } });
    const page = await comeBack(leaving);
    expect(page.code).toBe('configuration_link_not_found');
  });
});

describe('409', () => {
  test('of two browsers with one link the first that comes back is stored, the second is configuration_link_used', async () => {
    const { link, agent } = await calendarTask();
    const [one, two] = [await connect(link), await connect(link)];
    expect((await comeBack(one)).status).toBe(303);
    const late = await comeBack(two);
    expect([late.status, late.code]).toEqual([409, 'configuration_link_used']);
    expect(await listConnections(agent)).toHaveLength(1);
  });
});
