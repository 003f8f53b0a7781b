// `npm start`, as a newcomer runs it.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkCommands, type LocalStart, occupy, startLocal } from '#test/support/local-start.ts';
import { runScript } from '#test/support/run-script.ts';

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

  test('refuses to start twice in the same home, with one line', async () => {
    await expectRefusal({ AGENT_FLOW_HOME: home }, 'is in use by another local host: stop it, or choose');
  });

  test('stops cleanly on Ctrl-C', async () => {
    expect(await service.stop()).toBe(0);
    expect(existsSync(join(home, 'ready.json'))).toBe(false);
  });
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
