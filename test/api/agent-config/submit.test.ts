// The form of the page: the value is stored once, for the right owner, and the task continues by itself.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#lib/json/json.ts';
import {
  expiredLink,
  fillIn,
  hiddenFields,
  openPage,
  submitForm,
  submitOnce,
  waitingTask,
} from '#test/support/agent-config.ts';
import { flow } from '#test/support/builders.ts';
import { newCaller } from '#test/support/caller.ts';
import { listConnections } from '#test/support/connections.ts';
import { idle } from '#test/support/control.ts';
import { liveAgent } from '#test/support/flows.ts';
import { runState } from '#test/support/run-calls.ts';

const hosts = ['api.crm.example'];
const crm = { type: 'http_bearer', hosts, label: 'The CRM', scope: 'user' };
const secret = 'hunter2-hunter2-hunter2';

describe('303', () => {
  test('the value is stored for the principal of the task, the task completes by itself, and the page says so', async () => {
    const { link, agent, id } = await waitingTask({ crm });
    const sent = await fillIn(link, { token: ` ${secret}\n` });
    expect(sent.status).toBe(303);
    await idle();
    const page = await openPage(sent.location ?? '');
    expect(page.text).toContain('Thank you, it is stored');
    expect(page.text).toContain('Task: completed');
    expect((await runState(agent, id)).status).toBe('completed');
    expect(await listConnections(agent)).toMatchObject([
      { name: 'crm', scope: 'user', type: 'http_bearer', hosts, label: 'The CRM', updated_by: agent.id },
    ]);
    const colleague = await newCaller({ orgid: agent.orgid });
    expect(await listConnections({ ...colleague, workspaceid: agent.workspaceid })).toEqual([]);
    expect(sent.html + page.html + sent.location).not.toContain(secret);
  });

  test.each<[string, JsonObject, Record<string, string>]>([
    ['http_bearer', { type: 'http_bearer' }, { token: secret }],
    ['http_header', { type: 'http_header' }, { header: 'X-API-Key', value: secret }],
    ['http_query', { type: 'http_query' }, { parameter: 'api_key', value: secret }],
    ['http_basic', { type: 'http_basic' }, { username: 'ada', password: ` ${secret} ` }],
    [
      'oauth_client_credentials',
      { type: 'oauth_client_credentials' },
      {
        token_url: 'https://accounts.example/token',
        client_id: 'flows',
        client_secret: secret,
        client_auth: 'body',
        scopes: 'crm.read crm.write',
      },
    ],
    [
      'oauth_user',
      { type: 'oauth_user' },
      {
        token_url: 'https://accounts.example/token',
        client_id: 'flows',
        refresh_token: secret,
        client_auth: 'basic',
      },
    ],
    [
      'aws_sigv4',
      { type: 'aws_sigv4', aws: { services: ['execute-api'], regions: ['eu-central-1'] } },
      { role_arn: 'arn:aws:iam::123456789012:role/agent-flow/crm' },
    ],
  ])('the parts of a connection of type %s are stored', async (type, declared, values) => {
    const { link, agent, id } = await waitingTask({ crm: { ...crm, ...declared, scope: 'organization' } });
    expect((await fillIn(link, values)).status).toBe(303);
    await idle();
    expect((await runState(agent, id)).status).toBe('completed');
    expect(await listConnections(agent)).toMatchObject([{ name: 'crm', type, scope: 'organization' }]);
  });

  test('the page shows the external id that the role of AWS must require, which is that of the stored value', async () => {
    const aws = { services: ['execute-api'], regions: ['eu-central-1'] };
    const { link, agent } = await waitingTask({ crm: { ...crm, type: 'aws_sigv4', aws } });
    const { html, text } = await openPage(link);
    expect(text).toContain('execute-api in eu-central-1');
    const sent = await fillIn(link, { role_arn: 'arn:aws:iam::123456789012:role/other/crm' });
    expect(sent.status).toBe(400);
    await fillIn(link, { role_arn: 'arn:aws:iam::123456789012:role/agent-flow/crm' });
    const [stored] = await listConnections(agent);
    expect(stored).toMatchObject({ type: 'aws_sigv4', external_id: expect.any(String) });
    expect(html).toContain(`<code>${stored?.external_id}</code>`);
  });

  test('several connections are asked for one after the other, each with a link of its own', async () => {
    const mail = { type: 'http_basic', hosts: ['mail.example'], label: 'Mail' };
    const { link, agent, id } = await waitingTask({ crm, mail });
    const first = await openPage(link);
    expect(first.text).toContain('The CRM Mail');
    const afterFirst = await fillIn(link, { token: secret });
    expect(afterFirst.location).not.toBe(link);
    await idle();
    const afterSecond = await fillIn(afterFirst.location ?? '', { username: 'ada', password: secret });
    expect(afterSecond.status).toBe(303);
    await idle();
    expect((await runState(agent, id)).status).toBe('completed');
    expect((await openPage(afterSecond.location ?? '')).text).toContain('Task: completed');
  });

  test('the page asks for the second of two values also while the task looks for what is missing', async () => {
    const mail = { type: 'http_basic', hosts: ['mail.example'], label: 'Mail' };
    const { link, agent, id } = await waitingTask({ crm, mail });
    const { location = '' } = await fillIn(link, { token: secret });
    const shown = new Set<boolean>();
    // Fewer than what one address may open in ten seconds.
    for (let opened = 0; opened < 20; opened += 1)
      shown.add((await openPage(location)).html.includes('credential.password'));
    expect([...shown]).toEqual([true]);
    await idle();
    expect((await runState(agent, id)).status).toBe('auth_required');
  });

  test('a form for a connection that was stored meanwhile leads to what is missing now, and stores nothing', async () => {
    const { link, agent } = await waitingTask({ crm });
    const fields = { ...hiddenFields(await openPage(link)), connection: 'mail', 'credential.token': secret };
    const sent = await submitForm(link, { ...fields, action: 'store' });
    expect([sent.status, sent.location]).toEqual([303, link]);
    expect(await listConnections(agent)).toEqual([]);
  });
});

describe('400', () => {
  test('a form with mistakes says them beside the fields, keeps what is not secret, and does not use the link up', async () => {
    const { link, agent } = await waitingTask({ crm: { ...crm, type: 'http_header' } });
    const page = await fillIn(link, { header: 'Host', value: `${secret}\u0416` });
    expect(page.status).toBe(400);
    expect(page.text).toContain('2 fields need your attention');
    expect(page.text).toContain('Name of the header is set by the connection and cannot be given.');
    expect(page.html).toContain('value="Host"');
    expect(page.html).toMatch(/aria-describedby="[^"]*credential\.header-mistake"/);
    expect(page.html).not.toContain(secret);
    const empty = await fillIn(link, {});
    expect(empty.text).toContain('Enter the name of the header.');
    expect(empty.text).toContain('Enter the value.');
    expect((await fillIn(link, { header: 'X-Key', value: 'x'.repeat(8193) })).text).toContain('at most 8192');
    expect(await listConnections(agent)).toEqual([]);
    expect((await fillIn(link, { header: 'X-Key', value: secret })).status).toBe(303);
  });

  test('what was typed is text in the page that shows it again', async () => {
    const { link } = await waitingTask({ crm: { ...crm, type: 'http_header' } });
    const typed = `"><script>alert(1)</script>`;
    const { html } = await fillIn(link, { header: typed });
    expect(html).not.toContain('<script');
    expect(html).toContain('&quot;&gt;&lt;script&gt;');
  });
});

describe('403', () => {
  test('a form that another site makes the browser send is refused as cross_site_request, before anything is read', async () => {
    const { link } = await waitingTask({ crm });
    const fields = { ...hiddenFields(await openPage(link)), 'credential.token': secret, action: 'store' };
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site', origin: 'https://other.example' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
    ]) {
      const page = await submitForm(link, fields, headers);
      expect([page.status, page.code]).toEqual([403, 'cross_site_request']);
    }
    expect((await submitForm(link, fields)).status).toBe(303);
  });
});

describe('404', () => {
  test('a form with the token of another task stores nothing and is configuration_link_not_found', async () => {
    const mine = await waitingTask({ crm });
    const theirs = await waitingTask({ crm });
    const fields = {
      ...hiddenFields(await openPage(mine.link)),
      'credential.token': secret,
      action: 'store',
    };
    const page = await submitForm(mine.link, { ...fields, task_id: theirs.id });
    expect([page.status, page.code]).toEqual([404, 'configuration_link_not_found']);
    expect(await listConnections(theirs.agent)).toEqual([]);
    expect((await submitForm(mine.link, {})).code).toBe('configuration_link_not_found');
  });
});

describe('409', () => {
  test('of several forms that are sent at once exactly one is stored; the others are configuration_link_used and say how the task gets on', async () => {
    const { link, agent, id } = await waitingTask({ crm });
    const fields = { ...hiddenFields(await openPage(link)), action: 'store' };
    const pages = await Promise.all(
      [1, 2, 3, 4].map((n) => submitForm(link, { ...fields, 'credential.token': `${secret}-${n}` })),
    );
    expect(pages.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 409, 409, 409]);
    const late = pages.find(({ status }) => status === 409);
    expect(late?.code).toBe('configuration_link_used');
    expect(late?.text).toMatch(/Task: (working|about to continue|completed)/);
    await idle();
    expect((await runState(agent, id)).status).toBe('completed');
    expect(await listConnections(agent)).toHaveLength(1);
  });

  test('a link that was used stores nothing again, also when the connection is deleted', async () => {
    const { link } = await waitingTask({ crm });
    const fields = { ...hiddenFields(await openPage(link)), 'credential.token': secret, action: 'store' };
    expect((await submitForm(link, fields)).status).toBe(303);
    expect((await submitForm(link, fields)).code).toBe('configuration_link_used');
  });
});

describe('413 and 415', () => {
  test('a form that is too large, and a body that is no form, are refused with a page', async () => {
    const { link } = await waitingTask({ crm });
    const large = await submitForm(link, { 'credential.token': 'x'.repeat(300_000) });
    expect([large.status, large.code]).toEqual([413, 'payload_too_large']);
    const json = await submitForm(link, {}, { 'content-type': 'application/json' });
    expect([json.status, json.code]).toEqual([415, 'unsupported_media_type']);
  });
});

describe('429', () => {
  test('forms with one link are limited', async () => {
    const { link } = await waitingTask({ crm });
    const fields = { ...hiddenFields(await openPage(link)), action: 'store' };
    const statuses: number[] = [];
    for (let n = 0; n < 25; n += 1) statuses.push(await submitOnce(link, fields));
    expect(statuses).toContain(429);
    expect(statuses[0]).toBe(400);
  });
});

describe('two organisations', () => {
  test('who calls a public agent of another organisation stores a value of its own there, never one of the workspace', async () => {
    const shared = { ...crm, scope: 'organization', label: 'Shared' };
    const agent = await liveAgent({ flow: flow({ connections: { crm, shared } }), visibility: 'public' });
    const guest = await newCaller();
    const { link } = await waitingTask({}, { ...agent, key: guest.key, id: guest.id });
    const page = await openPage(link);
    expect(page.text).toContain('Somebody else must add the rest');
    const sent = await fillIn(link, { token: secret });
    expect(sent.status).toBe(303);
    await idle();
    const after = await openPage(sent.location ?? '');
    expect(after.text).toContain('Still missing: Shared');
    expect(await listConnections(agent)).toEqual([]);
    const forged = {
      ...hiddenFields(page),
      connection: 'shared',
      'credential.token': secret,
      action: 'store',
    };
    expect((await submitForm(link, forged)).status).toBe(409);
    expect(await listConnections(agent)).toEqual([]);
  });
});

describe('410', () => {
  test('an expired link stores nothing; its holder gets a new one with one click, once, and a few times for a task', async () => {
    const { link, agent, id } = await waitingTask({ crm });
    const replace = async (old: string) => {
      const page = await openPage(old);
      expect(page.code).toBe('configuration_link_expired');
      return await submitForm(old, { ...hiddenFields(page), action: 'replace' });
    };
    const first = await expiredLink(link, id, 100);
    const stored = { ...hiddenFields(await openPage(first)), connection: 'crm', 'credential.token': secret };
    expect((await submitForm(first, { ...stored, action: 'store' })).code).toBe('configuration_link_expired');
    const replaced = await replace(first);
    expect(replaced.status).toBe(303);
    const again = await submitForm(first, {
      ...hiddenFields(await openPage(link)),
      ...stored,
      action: 'replace',
    });
    expect([again.status, again.code]).toEqual([409, 'configuration_link_used']);
    for (let n = 2; n <= 5; n += 1)
      expect((await replace(await expiredLink(link, id, n * 100))).status).toBe(303);
    const last = await replace(await expiredLink(link, id, 600));
    expect([last.status, last.code]).toEqual([410, 'configuration_link_expired']);
    expect(last.text).toContain('replaced too often');
    expect(await listConnections(agent)).toEqual([]);
    expect((await fillIn(replaced.location ?? '', { token: secret })).status).toBe(303);
    await idle();
    expect((await runState(agent, id)).status).toBe('completed');
  });
});

describe('Connect', () => {
  test('is refused as authorization_failed where the agent names an authorization endpoint without https', async () => {
    const oauth = {
      authorization_url: 'http://accounts.example/authorize',
      token_url: 'https://accounts.example/token',
      client_id: 'flows',
    };
    const { link } = await waitingTask({ crm: { ...crm, type: 'oauth_user', oauth } });
    const page = await submitForm(link, { ...hiddenFields(await openPage(link)), action: 'connect' });
    expect([page.status, page.code]).toEqual([400, 'authorization_failed']);
    expect(page.headers.get('set-cookie')).toBeNull();
  });
});
