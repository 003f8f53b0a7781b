// `npm start`, as a newcomer runs it.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkCommands, type LocalStart, occupy, startLocal } from '#test/support/local-start.ts';
import { runScript, unsetAws } from '#test/support/run-script.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-flow-start-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe('npm start', () => {
  let home: string;
  let service: LocalStart;
  beforeAll(async () => {
    home = join(folder, 'a home');
    service = await startLocal(home);
  });

  test('prints its address and the live agent', async () => {
    const { ready, send } = service;
    expect(Object.keys(ready).sort()).toEqual(
      ['apiKey', 'baseUrl', 'flowid', 'orgid', 'pid', 'registryId', 'workspaceid'].sort(),
    );
    expect(service.printed).toContain(`live as ${ready.registryId} (build 1)`);
    expect(await send(`GET /api/v1/a2a-registry/${ready.registryId}`)).toMatchObject({ status: 'live' });
  });

  test('gives the workspace a name, by which members see it', async () => {
    const { ready, send } = service;
    const workspace = await send(`GET /api/v1/workspaces/${ready.workspaceid}`);
    expect(workspace).toMatchObject({ workspaceid: ready.workspaceid, name: 'Demo' });
  });

  test('prints three commands that work without changes', async () => {
    await checkCommands(service);
  });

  test('a key of a second organisation takes two options, and sees nothing of the first one', async () => {
    const { ready } = service;
    const env = { ...unsetAws, AGENT_FLOW_HOME: home };
    const script = runScript('keys', ['issue', '--tenant', 'local', '--org', 'org_acme'], env);
    expect(await script.ended, script.printed()).toBe(0);
    const key = script.printed().trim().split('\n').at(-1) ?? '';
    const ask = async (path: string) =>
      await fetch(`${ready.baseUrl}${path}`, { headers: { 'x-api-key': key } });
    expect(await (await ask('/api/v1/me')).json()).toMatchObject({ orgid: 'org_acme' });
    expect((await ask(`/api/v1/a2a-registry/${ready.registryId}`)).status).toBe(404);
    const id = script.printed().match(/key_[\w-]+/)?.[0] ?? '';
    const revoke = runScript('keys', ['revoke', '--tenant', 'local', '--id', id], env);
    expect(await revoke.ended, revoke.printed()).toBe(0);
  });

  test('a person is invited to another organisation without the name of a table', async () => {
    const wanted = [
      '--tenant',
      'local',
      '--org',
      'org_acme',
      '--email',
      'ada@example.com',
      '--role',
      'owner',
    ];
    const script = runScript('members', ['invite', ...wanted], { ...unsetAws, AGENT_FLOW_HOME: home });
    expect(await script.ended, script.printed()).toBe(0);
    expect(script.printed()).toContain('ada@example.com is invited to org_acme as owner');
  });

  test('refuses to start twice in the same home, with one line', async () => {
    await expectRefusal({ AGENT_FLOW_HOME: home }, 'is in use by another local host: stop it, or choose');
  });

  test('stops cleanly on Ctrl-C', async () => {
    expect(await service.stop()).toBe(0);
    expect(existsSync(join(home, 'ready.json'))).toBe(false);
  });
});

test('a script for the local service says that none runs', async () => {
  const home = join(folder, 'nothing');
  const script = runScript('keys', ['issue', '--tenant', 'local', '--org', 'o'], { AGENT_FLOW_HOME: home });
  expect(await script.ended).toBe(1);
  expect(script.printed()).toContain(
    `No key was issued: no service runs with ${home}: start it with \`npm start\``,
  );
});

describe('a start that fails prints the reason in one line', () => {
  test('models that are not valid JSON', async () => {
    await expectRefusal({ MODELS: '{' }, 'MODELS is not valid JSON.');
  });

  test('a default that is not one of the models', async () => {
    const mine = { provider: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1', model: 'm' };
    const said = 'MODEL_DEFAULT must be one of the names in MODELS: mine.';
    await expectRefusal({ MODELS: JSON.stringify({ mine }), MODEL_DEFAULT: 'other' }, said);
  });

  test('an invalid port', async () => {
    const said = 'PORT must be a number from 0 (any free port) to 65535, not "http".';
    await expectRefusal({ PORT: 'http' }, said);
  });

  test('an empty port, which means the default, while another program uses it', async () => {
    const free = await occupy('http://127.0.0.1:3000');
    await expectRefusal({ PORT: '' }, 'Port 3000 is in use');
    await free();
  });

  test('a file where the home should be', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    await expectRefusal({ AGENT_FLOW_HOME: file }, `${file} cannot be the home of the service: its path`);
  });
});

async function expectRefusal(env: NodeJS.ProcessEnv, said: string): Promise<void> {
  const script = runScript('local', [], { AGENT_FLOW_HOME: join(folder, 'unused'), PORT: '0', ...env });
  expect(await script.ended).toBe(1);
  expect(script.printed().trim().split('\n')).toEqual([expect.stringContaining(said)]);
}
