// `agent-flow` as a user keeps it: profiles, a new agent, and who may do what.
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { newUserHome, type UserHome } from '#test/support/flow-command.ts';
import { authorize, requestToken } from '#test/support/oauth.ts';
import { joinOrganization, newPerson } from '#test/support/person.ts';
import { runScript } from '#test/support/run-script.ts';
import { serviceUrl } from '#test/support/service-url.ts';

let home: UserHome;
beforeAll(async () => {
  home = await newUserHome();
});
afterAll(() => home.remove());

const newHome = async (act: (own: UserHome) => Promise<void>) => {
  const own = await newUserHome();
  await act(own).finally(own.remove);
};

const profilesFile = (own: UserHome) => join(own.folder, 'agent-flow', 'profiles.json');

/** Returns what the command has printed. */
async function loginInBrowser(
  own: UserHome,
  { browser }: Pick<Awaited<ReturnType<typeof newPerson>>, 'browser'>,
): Promise<string> {
  const env = { XDG_CONFIG_HOME: own.folder, AGENT_FLOW_HOME: own.folder, NO_COLOR: '1' };
  const login = runScript('flow', ['login', serviceUrl(), '--no-browser', '--name', 'mine'], env);
  await login.prints('Sign in at ');
  await login.prints('\n');
  const [, address = ''] = /Sign in at (\S+)/.exec(login.printed()) ?? [];
  expect((await fetch(await authorize(browser, address))).status).toBe(200);
  expect(await login.ended).toBe(0);
  return login.printed();
}

describe('login', { concurrent: true }, () => {
  test('with a key keeps it for its owner alone, and never prints it', async () =>
    await newHome(async (own) => {
      const [first, second] = [await newCaller({ workspaces: ['ws_a'] }), await newCaller()];
      const login = async (name: string, key: string) =>
        await own.run(['login', serviceUrl(), '--key', '--name', name], {}, key);
      const answers = [await login('one', first.key), await login('two', second.key)];
      expect(answers.map(({ code }) => code)).toEqual([0, 0]);
      expect((await stat(profilesFile(own))).mode & 0o777).toBe(0o600);
      const listed = await own.run(['profiles', '--json']);
      expect(listed.json().items).toMatchObject([
        { name: 'one', workspace: 'ws_a', credentials: 'API key', used: false },
        { name: 'two', workspace: null, used: true },
      ]);
      expect((await own.run(['builds', '--profile', 'one', '--json'])).json()).toEqual({ items: [] });
      expect(await own.run(['builds'])).toMatchObject({
        code: 2,
        printed: expect.stringContaining('names no workspace'),
      });
      expect(await own.run(['profiles', 'one'])).toMatchObject({
        code: 0,
        output: expect.stringMatching(/^\* +one /m),
      });
      const all = [...answers, listed, await own.run(['logout', 'one']), await own.run(['profiles'])];
      for (const { printed } of all)
        for (const { key } of [first, second]) expect(printed).not.toContain(key);
      expect(await readFile(profilesFile(own), 'utf8')).not.toContain(first.key);
    }));

  test('is refused with a wrong key, and changes nothing', async () =>
    await newHome(async (own) => {
      expect(await own.run(['login', serviceUrl(), '--key'], {}, 'wrong')).toMatchObject({ code: 3 });
      expect(await own.run(['login', serviceUrl(), '--key'], {}, '')).toMatchObject({ code: 2 });
      expect((await own.run(['profiles', '--json'])).json()).toEqual({ items: [] });
    }));

  test('a file of profiles that others can read is not used', async () =>
    await newHome(async (own) => {
      const { key } = await newCaller();
      await own.run(['login', serviceUrl(), '--key'], {}, key);
      await chmod(profilesFile(own), 0o644);
      const { code, printed } = await own.run(['builds']);
      expect([code, printed]).toEqual([1, expect.stringContaining('Others can read')]);
    }));

  test('with a browser acts as the person, refreshes what expires, and ends with logout', async () =>
    await newHome(async (own) => {
      const person = await newPerson({ workspaces: ['ws_shop'], role: 'builder' });
      const printed = await loginInBrowser(own, person);
      expect(printed).toContain(`You are ${person.email} in ${person.orgid}.`);
      expect((await own.run(['builds', '--json'])).json()).toEqual({ items: [] });
      const stored = JSON.parse(await readFile(profilesFile(own), 'utf8'));
      const { accessToken } = stored.profiles.mine.oauth;
      stored.profiles.mine.oauth.expiresAt = 0;
      await writeFile(profilesFile(own), JSON.stringify(stored));
      const both = await Promise.all([own.run(['builds', '--json']), own.run(['runs', '--json'])]);
      expect(both.map(({ code }) => code)).toEqual([0, 0]);
      const now = JSON.parse(await readFile(profilesFile(own), 'utf8')).profiles.mine.oauth;
      expect(now.accessToken).not.toBe(accessToken);
      const left = await own.run(['logout']);
      expect([left.code, left.output]).toEqual([0, 'The profile "mine" is gone.\n']);
      const again = { grant_type: 'refresh_token', refresh_token: now.refreshToken, client_id: now.clientId };
      expect((await requestToken(again)).status).toBe(400);
    }));

  test('as an owner is enough to invite a builder and another owner', async () =>
    await newHome(async (own) => {
      await loginInBrowser(own, await newPerson({ role: 'owner' }));
      for (const role of ['builder', 'owner'])
        expect(await own.run(['members', 'invite', `${role}@example.com`, '--role', role])).toMatchObject({
          code: 0,
        });
    }));

  test('that the person refuses ends with 3', async () =>
    await newHome(async (own) => {
      const person = await newPerson({ role: 'builder' });
      const login = runScript('flow', ['login', serviceUrl(), '--no-browser'], {
        XDG_CONFIG_HOME: own.folder,
        NO_COLOR: '1',
      });
      await login.prints('Sign in at ');
      await login.prints('\n');
      const [, address = ''] = /Sign in at (\S+)/.exec(login.printed()) ?? [];
      await fetch(await authorize(person.browser, address, (form) => form.set('action', 'deny')));
      expect([await login.ended, login.printed()]).toEqual([
        3,
        expect.stringContaining('Signing in failed: access_denied.'),
      ]);
    }));
});

describe('a new agent', { concurrent: true }, () => {
  test.each(['yaml', 'json'])('of %s passes its tests, and is not written over', async (format) => {
    const folder = join(home.folder, `my ${format} agent`);
    const written = await home.run(['init', folder, '--format', format, '--json']);
    expect(written.json().files).toEqual([join(folder, `agent.${format}`), join(folder, `flow.${format}`)]);
    expect(await home.run(['check', folder])).toMatchObject({
      code: 0,
      printed: expect.stringContaining(`"My ${format} agent" is a valid flow of 2 nodes.`),
    });
    expect((await home.run(['test', folder, '--json'])).json().passed).toBe(true);
    expect(await home.run(['init', folder, '--format', format])).toMatchObject({
      code: 1,
      printed: expect.stringContaining('exists already'),
    });
  });

  test('is registered by dev, and replaced on each save that passes', async () => {
    const caller = await newCaller();
    const folder = join(home.folder, unique('dev'));
    await home.run(['init', folder]);
    const env = {
      AGENT_FLOW_URL: serviceUrl(),
      AGENT_FLOW_KEY: caller.key,
      AGENT_FLOW_WORKSPACE: caller.workspaceid,
      NO_COLOR: '1',
    };
    const dev = runScript('flow', ['dev', folder], {
      ...env,
      XDG_CONFIG_HOME: home.folder,
      MODELS: undefined,
    });
    await dev.prints('Watching ');
    const path = join(folder, 'flow.yaml');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace("'Hi.'", "'Ho.'"));
    await dev.prints('The agent was not registered: its tests fail.');
    await writeFile(path, text.replace('in one sentence', 'in two sentences'));
    await dev.prints('Replaced build 1');
    dev.child.kill('SIGINT');
    expect([await dev.ended, dev.printed()]).toEqual([0, expect.stringContaining('Registered build 1')]);
    const { items } = (await home.as(caller, 'builds', '--json')).json();
    expect(items).toMatchObject([{ build_no: 1, version: 2, status: 'test' }]);
  });
});

describe('access', { concurrent: true }, () => {
  test('connections are stored from stdin or a file, listed without credentials, and deleted', async () => {
    const caller = await newCaller();
    const env = {
      AGENT_FLOW_URL: serviceUrl(),
      AGENT_FLOW_KEY: caller.key,
      AGENT_FLOW_WORKSPACE: caller.workspaceid,
    };
    const set = await home.run(
      ['connections', 'set', 'crm', '--host', 'api.crm.example'],
      env,
      's3cret-token\n',
    );
    expect([set.code, set.output]).toEqual([0, 'The connection "crm" is stored for api.crm.example.\n']);
    const file = join(home.folder, `${unique('connection')}.yaml`);
    await writeFile(
      file,
      'type: http_header\nhosts: [api.shop.example]\ncredential: { header: X-Key, value: s3cret-value }\n',
    );
    expect(await home.as(caller, 'connections', 'set', 'shop', '--file', file)).toMatchObject({ code: 0 });
    const listed = await home.as(caller, 'connections', 'list');
    expect(listed.output).toMatch(
      /crm +http_bearer +organization +api\.crm\.example(.|\n)*shop +http_header/,
    );
    expect(await home.as(caller, 'connections', 'delete', 'crm')).toMatchObject({ code: 0 });
    const again = await home.as(caller, 'connections', 'delete', 'crm', '--json');
    expect([again.code, JSON.parse(again.printed).error.code]).toEqual([4, 'connection_not_found']);
    const none = await home.run(['connections', 'set', 'crm'], env, 's3cret-token');
    expect(none.code).toBe(2);
    for (const { printed } of [set, listed, none]) expect(printed).not.toContain('s3cret');
  });

  test('keys are created, work, are listed without themselves, and revoked', async () => {
    const caller = await newCaller();
    const created = await home.as(
      caller,
      'keys',
      'create',
      'CI',
      '--scope',
      'assistants.flows:read',
      '--days',
      '7',
    );
    expect(created.code).toBe(0);
    const key = created.output.trim();
    expect((await home.as({ ...caller, key }, 'builds', '--json')).json()).toEqual({ items: [] });
    const listed = await home.as(caller, 'keys', 'list', '--json');
    const [{ keyid, label }] = listed.json().items;
    expect([label, listed.printed.includes(key)]).toEqual(['CI', false]);
    expect(await home.as(caller, 'keys', 'revoke', keyid)).toMatchObject({ code: 0 });
    expect((await home.as(caller, 'keys', 'list')).output).toContain('revoked 2');
    const wrong = await home.as(caller, 'keys', 'create', 'CI', '--scope', 'everything');
    expect([wrong.code, wrong.printed]).toEqual([4, expect.stringContaining('/body/scopes/0')]);
  });

  test('members are invited, listed and removed; another organisation sees none of them', async () => {
    const [caller, stranger] = [await newCaller(), await newCaller()];
    const email = `${unique('person')}@example.com`;
    const invited = await home.as(caller, 'members', 'invite', email, '--role', 'viewer');
    expect([invited.code, invited.output]).toEqual([
      0,
      expect.stringContaining(`/auth/login?orgid=${caller.orgid}`),
    ]);
    expect((await home.as(caller, 'members', 'list')).output).toMatch(
      new RegExp(`${email} +.*viewer.* +invited`),
    );
    expect((await home.as(stranger, 'members', 'list', '--json')).json()).toEqual({
      items: [],
      invitations: [],
    });
    const [{ invitationid }] = (await home.as(caller, 'members', 'list', '--json')).json().invitations;
    expect(await home.as(stranger, 'members', 'remove', invitationid)).toMatchObject({ code: 4 });
    expect(await home.as(caller, 'members', 'remove', invitationid)).toMatchObject({ code: 0 });
    expect(await home.as(caller, 'members', 'invite', email, '--role', 'king')).toMatchObject({ code: 2 });
  });

  test('members get another role', async () => {
    const [caller, stranger] = [await newCaller(), await newCaller()];
    const { userid } = await joinOrganization(caller.orgid);
    const change = async (by: TestCaller, ...args: string[]) =>
      await home.as(by, 'members', 'change', userid, '--role', ...args);
    expect(await change(stranger, 'admin')).toMatchObject({ code: 4 });
    expect(await change(caller, 'king')).toMatchObject({ code: 2 });
    const nowhere = await change(caller, 'admin', '--for', 'ws_nowhere');
    expect([nowhere.code, nowhere.printed]).toEqual([4, expect.stringContaining('/body/roles/ws_nowhere')]);
    expect((await change(caller, 'operator')).output).toBe(`${userid} is operator in all workspaces.\n`);
    const listed = (await home.as(caller, 'members', 'list', '--json')).json();
    expect(listed.items).toMatchObject([{ userid, roles: { '*': 'operator' } }]);
  });
});
