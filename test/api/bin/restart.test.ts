// `npm start` again in the home of an earlier start, after something has changed meanwhile.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { readAddresses, resolveHome } from '#lib/local/home.ts';
import { type RegistryRow, registryRow } from '#lib/registry/row/row.ts';
import { checkCommands, type LocalStart, occupy, putLive, startLocal } from '#test/support/local-start.ts';
import { runScript } from '#test/support/run-script.ts';

let home: string;
let ends: (() => Promise<unknown>)[];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'agent-flow-restart-'));
  ends = [];
});
afterEach(async () => {
  for (const end of ends.reverse()) await end();
  await rm(home, { recursive: true });
});

const start = async (env: NodeJS.ProcessEnv = {}): Promise<LocalStart> => {
  const service = await startLocal(home, env);
  ends.push(service.stop);
  return service;
};
const take = async (url: string) => void ends.push(await occupy(url));
const shopUrl = () => readAddresses(resolveHome(home))?.ordersUrl ?? '';

describe('npm start, run again', () => {
  test('when the port of the sample shop is in use: the same build works, with the new address of the shop', async () => {
    const first = await start();
    await first.stop();
    const former = shopUrl();
    await take(former);
    const second = await start({ EGRESS_ALLOW_PRIVATE: '127.0.0.1:9' });
    expect(shopUrl()).not.toBe(former);
    await checkCommands(second);
    expect(await builds(second)).toMatchObject([{ a2aregistryid: first.ready.registryId, status: 'live' }]);
  });

  test('on another port: the build that a person has promoted stays live, and its card has the new address', async () => {
    const first = await start();
    const own = await putLive(first, { name: 'My assistant', tags: ['mine'] });
    await first.stop();
    await take(first.ready.baseUrl);
    const second = await start();
    const { ready, printed } = second;
    expect(ready.baseUrl).not.toBe(first.ready.baseUrl);
    expect(ready.registryId).toBe(own);
    expect(printed).toContain(`live as ${own} (build 2)`);
    expect(await builds(second)).toMatchObject([
      { a2aregistryid: first.ready.registryId, status: 'test' },
      {
        a2aregistryid: own,
        status: 'live',
        tags: ['mine'],
        hosted_url: `${ready.baseUrl}/api/v1/ai/a2a/${ready.flowid}/`,
        agent_card: {
          name: 'My assistant',
          supportedInterfaces: [
            { url: `${ready.baseUrl}/api/v1/ai/a2a/${ready.flowid}/` },
            { url: `${ready.baseUrl}/api/v1/ai/a2a/${ready.flowid}/rest` },
            { url: `${ready.baseUrl}/api/v1/ai/a2a/${ready.flowid}/v0.3` },
          ],
        },
      },
    ]);
    await checkCommands(second);
  });

  test('after the workspace was renamed: it keeps its name', async () => {
    const first = await start();
    const path = `/api/v1/workspaces/${first.ready.workspaceid}`;
    await first.send(`PUT ${path}`, { name: 'Mine' });
    await first.stop();
    const second = await start();
    expect(await second.send(`GET ${path}`)).toMatchObject({ name: 'Mine', version: 2 });
  });

  test('after its key was revoked: creates another key, and the revoked one stays refused', async () => {
    const first = await start();
    await revokeKey(first);
    await first.stop();
    const second = await start();
    expect(second.printed).toContain('API key key_demo_2 in');
    await checkCommands(second);
    const headers = { 'x-api-key': first.ready.apiKey };
    const row = `${second.ready.baseUrl}/api/v1/a2a-registry/${second.ready.registryId}`;
    expect((await fetch(row, { headers })).status).toBe(401);
  });
});

const page = z.object({ items: z.array(registryRow) });

/** Oldest first. */
async function builds({ send, ready }: LocalStart): Promise<readonly RegistryRow[]> {
  const query = `workspaceid=${ready.workspaceid}&flowid=${ready.flowid}&sort=created_at`;
  return page.parse(await send(`GET /api/v1/a2a-registry?${query}`)).items;
}

/**
 * With `npm run keys`, in the environment and with the names that the service keeps in its home for that
 * (docs/local.md).
 */
async function revokeKey({ printed }: LocalStart): Promise<void> {
  const [keyId = ''] = /key_\w+/.exec(printed) ?? [];
  const kept = JSON.parse(await readFile(resolveHome(home).environment, 'utf8'));
  const { CONTROL_TABLE, ...environment } = z.record(z.string(), z.string()).parse(kept);
  const args = ['revoke', '--control-table', CONTROL_TABLE ?? '', '--id', keyId];
  const script = runScript('keys', args, environment);
  expect(await script.ended, script.printed()).toBe(0);
}
