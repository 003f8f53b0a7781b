// `npm start`, as a newcomer runs it.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runScript, type Script } from '#test/support/run-script.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'agent-flow-start-'));
});
afterAll(async () => {
  await rm(home, { recursive: true, force: true });
});

const start = async (): Promise<Script> => {
  const script = runScript('local', [], { AGENT_FLOW_HOME: home, PORT: '0' });
  await script.prints('Stop with Ctrl-C.');
  return script;
};
const readReady = async () => JSON.parse(await readFile(join(home, 'ready.json'), 'utf8'));

describe('npm start', () => {
  test('says where it is, serves the seeded agent, keeps its data, and stops cleanly', async () => {
    const first = await start();
    const ready = await readReady();
    expect(Object.keys(ready).sort()).toEqual(
      ['apiKey', 'baseUrl', 'flowid', 'orgid', 'pid', 'registryId', 'workspaceid'].sort(),
    );
    expect(first.printed().match(/curl -sS /g)).toHaveLength(3);
    const row = `${ready.baseUrl}/api/v1/a2a-registry/${ready.registryId}`;
    expect(await (await fetch(row, { headers: { 'x-api-key': ready.apiKey } })).json()).toMatchObject({
      status: 'live',
    });
    first.child.kill('SIGINT');
    expect(await first.ended).toBe(0);
    expect(existsSync(join(home, 'ready.json'))).toBe(false);

    const second = await start();
    const again = await readReady();
    const former = `${again.baseUrl}/api/v1/a2a-registry/${ready.registryId}`;
    expect((await fetch(former, { headers: { 'x-api-key': ready.apiKey } })).status).toBe(200);
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
  });

  test('a port that is no port is refused in one line', async () => {
    const script = runScript('local', [], { AGENT_FLOW_HOME: home, PORT: 'http' });
    expect(await script.ended).toBe(1);
    expect(script.printed().trim()).toBe(
      'PORT must be a number from 0 (any free port) to 65535, not "http".',
    );
  });
});
