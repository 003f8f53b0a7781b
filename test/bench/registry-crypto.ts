// Measures what a request pays for cryptography: checking an API key that a process does not know yet, or
// knows; sealing and opening a flow of 64 KB beside the AWS Encryption SDK. KMS is the local one: it signs
// and wraps in this process, so its share is small.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { issueApiKey, verifyApiKey } from '#lib/access/api-key.ts';
import { permissions } from '#lib/access/permission.ts';
import { decrypt, encrypt } from '#lib/envelope.ts';
import { type Row, toFigure } from './row.ts';

const times = 200;

export async function authenticationRows(): Promise<Row[]> {
  const keys: string[] = [];
  for (let n = 0; n < times; n += 1) keys.push(await newKey(`key_bench_${n}`));
  const [first = ''] = keys;
  await verifyApiKey(await newKey('key_bench_warm'));
  const cold = await measureMs(keys.map((key) => () => verifyApiKey(key)));
  const cached = await measureMs(keys.map(() => () => verifyApiKey(first)));
  return [
    { what: 'authenticate, key new to the process', unit: 'ms', ours: toFigure(cold) },
    { what: 'authenticate, key known', unit: 'ms', ours: toFigure(cached) },
  ];
}

const newKey = async (id: string) =>
  await issueApiKey({
    id,
    orgid: 'org_bench',
    workspaces: '*',
    scopes: permissions,
    issuedAt: Math.floor(Date.now() / 1_000),
    lifetimeSeconds: 3_600,
  });

const peerModule = z.object({
  envelope: z.custom<
    (
      keyArn: string,
      context: Readonly<Record<string, string>>,
    ) => { seal: (plain: string) => Promise<Uint8Array>; open: (sealed: Uint8Array) => Promise<string> }
  >((value) => typeof value === 'function'),
});

export async function envelopeRows(keyArn: string): Promise<Row[]> {
  await installPeer();
  const peer = peerModule
    .parse(await import(new URL('peers-registry/envelope.mjs', import.meta.url).href))
    .envelope(keyArn, context);
  const ours = {
    seal: (plain: string) => encrypt(plain, context),
    open: (sealed: Uint8Array) => decrypt(sealed, context),
  };
  const [mine, theirs] = [await measureCost(ours), await measureCost(peer)];
  return [
    { what: 'seal 64 KB of flow', unit: 'ms', ours: mine.seal, peer: theirs.seal },
    { what: 'open 64 KB of flow', unit: 'ms', ours: mine.open, peer: theirs.open },
    { what: 'sealed size of 64 KB of flow', unit: 'bytes', ours: mine.bytes, peer: theirs.bytes },
  ];
}

const context = {
  tenant: 'bench',
  orgid: 'org_bench',
  workspaceid: 'ws_bench',
  registryid: 'reg_bench',
  version: '1',
  purpose: 'flow',
};

/** As a flow is: JSON whose nodes resemble each other. */
const flow = JSON.stringify(
  Array.from({ length: 800 }, (_, n) => ({
    id: `node_${n}`,
    type: 'transform',
    next: `node_${n + 1}`,
    seed: (n * 7919) % 1_000,
  })),
).padEnd(65_536, ' ');

type Subject = ReturnType<z.infer<typeof peerModule>['envelope']>;

async function measureCost(subject: Subject) {
  const sealed = await subject.seal(flow);
  if ((await subject.open(sealed)) !== flow) throw new Error('What was opened is not what was sealed.');
  const runs = Array.from({ length: times });
  return {
    seal: toFigure(await measureMs(runs.map(() => () => subject.seal(flow)))),
    open: toFigure(await measureMs(runs.map(() => () => subject.open(sealed)))),
    bytes: toFigure([sealed.length]),
  };
}

async function measureMs(runs: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const taken: number[] = [];
  for (const run of runs) {
    const start = performance.now();
    await run();
    taken.push(performance.now() - start);
  }
  return taken;
}

async function installPeer(): Promise<void> {
  const folder = fileURLToPath(new URL('peers-registry', import.meta.url));
  if (existsSync(`${folder}/node_modules/.package-lock.json`)) return;
  console.error('Installing the peer…');
  await promisify(execFile)('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'], {
    timeout: 300_000,
  });
}
