// `npm run export` and `npm run import`: an organisation moves from one tenant to another, each with tables and keys of its
// own, and nothing else moves with it.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeLine } from '#lib/archive/format.ts';
import { createEncrypter, readSealed, writeSealed } from '#lib/archive/seal.ts';
import { startAwsProxy, type Verdict } from '#test/support/aws-proxy.ts';
import { call } from '#test/support/client.ts';
import { type ForkedHost, forkHost } from '#test/support/forked-host.ts';
import { asTask, cardVerifier, officialClient, sending } from '#test/support/official-client.ts';
import { type OwnTables, startOwnTables, tablesOf } from '#test/support/own-tables.ts';
import { type PopulatedOrganisation, populate } from '#test/support/populated-organisation.ts';
import { runScript } from '#test/support/run-script.ts';
import { byGithub, secretOfTests } from '#test/support/webhook-senders.ts';

let source: OwnTables;
let target: ForkedHost;
let folder: string;
let identity: string;
let recipient: string;
let one: PopulatedOrganisation;
let hostile: PopulatedOrganisation;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-flow-export-'));
  identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
  await writeFile(at('identity.txt'), `# a key of age\n${identity}\n`);
  source = await startOwnTables();
  one = await populate('canary-of-one');
  hostile = await populate('canary-of-hostile');
  await source.idle();
  target = await forkHost({ tenantId: 'local' });
});
afterAll(async () => {
  await source.stop();
  await target.stop();
  await rm(folder, { recursive: true });
});

const at = (name: string) => join(folder, name);

async function run(
  name: string,
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  stdin = '',
) {
  const file = at(`environment-${environment.TENANT_ID}.json`);
  await writeFile(file, JSON.stringify(environment));
  const script = runScript(name, ['--environment', file, ...args], environment);
  script.child.stdin?.end(stdin);
  return { code: await script.ended, printed: script.printed() };
}
const exported = (name: string, ...args: string[]) =>
  run('export', source.service.environment, [
    '--org',
    one.caller.orgid,
    '--out',
    at(name),
    '--recipient',
    recipient,
    ...args,
  ]);
const imported = (name: string, ...args: string[]) =>
  run('import', target.service.environment, ['--in', at(name), '--identity', at('identity.txt'), ...args]);
async function linesOf(name: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readSealed(at(name), { identities: [identity] })) lines.push(line);
  return lines;
}
const rewrite = async (name: string, lines: readonly string[]) =>
  await writeSealed(
    at(name),
    createEncrypter({ recipients: [recipient] }),
    (async function* () {
      for (const line of lines) yield `${line}\n`;
    })(),
  );

describe('an archive', () => {
  test('has what the organisation has, and nothing of another one', async () => {
    const { code, printed } = await exported('with-secrets.age', '--with-secrets');
    expect(code, printed).toBe(0);
    expect(printed).toContain('left behind: 1 of kind run that is not over');
    const text = (await linesOf('with-secrets.age')).join('\n');
    for (const wanted of [
      'canary-of-one',
      'canary-of-memory',
      one.agent.a2aregistryid,
      one.endedRun,
      secretOfTests,
    ])
      expect(text).toContain(wanted);
    for (const foreign of [
      'canary-of-hostile',
      hostile.caller.orgid,
      hostile.agent.a2aregistryid,
      hostile.endedRun,
    ])
      expect(text).not.toContain(foreign);
  });

  test('can be read by nobody without the key', async () => {
    const bytes = (await readFile(at('with-secrets.age'))).toString('latin1');
    expect(bytes).not.toContain('canary-of-one');
    expect(bytes.startsWith('age-encryption.org/v1\n')).toBe(true);
  });

  test('has no connections and no signing secrets unless they are asked for', async () => {
    expect((await exported('plain.age')).code).toBe(0);
    const lines = (await linesOf('plain.age')).join('\n');
    expect(lines).not.toContain(secretOfTests);
    expect(lines).not.toMatch(/"pk":"(CONN|SECRET)#/);
  });

  test('is not written over, and not written for an organisation that does not exist', async () => {
    expect(await exported('plain.age')).toMatchObject({
      code: 1,
      printed: expect.stringContaining('exists.'),
    });
    const none = await run('export', source.service.environment, [
      '--org',
      'org_none',
      '--out',
      at('none.age'),
      '--recipient',
      recipient,
    ]);
    expect(none).toMatchObject({ code: 1, printed: expect.stringContaining('no organisation org_none') });
    await expect(readFile(at('none.age'))).rejects.toThrow('ENOENT');
  });

  test('can be sealed with a passphrase', async () => {
    const args = ['--org', one.caller.orgid, '--out', at('phrase.age')];
    expect((await run('export', source.service.environment, args, 'correct horse')).code).toBe(0);
    const wrong = await run('import', target.service.environment, ['--in', at('phrase.age')], 'wrong');
    expect(wrong).toMatchObject({ code: 1, printed: expect.stringContaining('cannot be opened') });
  });
});

describe('is refused, and nothing is written:', () => {
  const unchanged = async (name: string, said: string) => {
    const tables = tablesOf(target.service.environment);
    const before = await tables.readAll('control');
    expect(await imported(name)).toMatchObject({ code: 1, printed: expect.stringContaining(said) });
    expect(await tables.readAll('control')).toEqual(before);
  };

  test('an archive that was changed', async () => {
    const bytes = await readFile(at('plain.age'));
    const last = bytes.length - 40;
    bytes[last] = (bytes[last] ?? 0) ^ 1;
    await writeFile(at('changed.age'), bytes);
    await unchanged('changed.age', 'cannot be opened');
  });

  test('an archive that was cut', async () => {
    const bytes = await readFile(at('plain.age'));
    await writeFile(at('cut.age'), bytes.subarray(0, bytes.length - 100));
    await unchanged('cut.age', 'cannot be opened');
    await rewrite('short.age', (await linesOf('plain.age')).slice(0, -2));
    await unchanged('short.age', 'The archive is not whole.');
  });

  test('an archive of another key', async () => {
    const other = await identityToRecipient(await generateX25519Identity());
    await writeSealed(
      at('other.age'),
      createEncrypter({ recipients: [other] }),
      (async function* () {
        yield writeLine({});
      })(),
    );
    await unchanged('other.age', 'cannot be opened');
  });

  test('an archive of a later version', async () => {
    const [header = '', ...lines] = await linesOf('plain.age');
    await rewrite('later.age', [JSON.stringify({ ...JSON.parse(header), version: 2 }), ...lines]);
    await unchanged('later.age', 'The archive has version 2');
  });

  test('an archive with an item of another organisation', async () => {
    const [header = '', ...lines] = await linesOf('plain.age');
    const theft = {
      table: 'control',
      workspaceid: '',
      item: { pk: `ORG#${hostile.caller.orgid}`, sk: 'META', owners: 0 },
    };
    const all = [...lines.slice(0, -1), JSON.stringify(theft)];
    await rewrite('theft.age', [header, ...all, JSON.stringify({ end: true, records: all.length })]);
    await unchanged('theft.age', 'an item that is not of');
  });
});

describe('an organisation in its new tenant', () => {
  let key: string;

  test('is there after an import that was interrupted and resumed, and agrees', async () => {
    let writes = 0;
    const lost = { status: 400, error: { __type: 'AccessDeniedException', message: 'No.' } };
    const judge = (operation: string): Verdict => {
      if (operation === 'BatchWriteItem') writes += 1;
      return writes > 12 ? lost : 'pass';
    };
    const proxy = await startAwsProxy(target.service.environment.AWS_ENDPOINT_URL_DYNAMODB ?? '', judge);
    const environment = { ...target.service.environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
    const args = ['--in', at('with-secrets.age'), '--identity', at('identity.txt')];
    expect(await run('import', environment, args)).toMatchObject({
      code: 1,
      printed: expect.stringContaining('--resume continues'),
    });
    await proxy.close();
    expect(await imported('with-secrets.age')).toMatchObject({
      code: 1,
      printed: expect.stringContaining('was interrupted'),
    });
    const { code, printed } = await imported('with-secrets.age', '--resume');
    expect(code, printed).toBe(0);
    const verified = await run('verify', target.service.environment, []);
    expect(verified).toMatchObject({ code: 0, printed: expect.stringContaining('All agrees') });
  });

  test('answers an A2A client with its live agent, whose card is signed by the tenant', async () => {
    const { SIGNING_KEY_ID = '' } = target.service.environment;
    const issued = runScript(
      'keys',
      ['issue', '--tenant', 'local', '--signing-key', SIGNING_KEY_ID, '--org', one.caller.orgid],
      target.service.environment,
    );
    expect(await issued.ended).toBe(0);
    key = issued.output().trim();
    const { baseUrl } = target.service;
    source.reachAt(target.service);
    const client = await officialClient(`${baseUrl}/api/v1/ai/a2a/${one.agent.flowid}/`, key);
    const card = await client.getAgentCard();
    await cardVerifier(`${baseUrl}/.well-known/jwks.json`)(card);
    expect(JSON.stringify(card)).toContain(baseUrl);
    const task = asTask(await client.sendMessage(sending('hello')));
    expect(JSON.stringify(task.artifacts)).toContain('"value":"hello"');
  });

  test('has its runs, values, connections and members, and a webhook whose sender keeps its secret', async () => {
    const { workspaceid } = one.caller;
    const params = { workspace_id: workspaceid, workflow_id: one.endedRun };
    const { body } = await call('getRun', { key, params });
    expect(body).toMatchObject({ status: 'completed', response: { said: 'canary-of-one' } });
    const query = { workspaceid };
    expect((await call('listConnections', { key, query })).body.items).toMatchObject([{ name: 'crm' }]);
    const memory = { flow_id: one.agent.flowid, environment: 'live' };
    expect((await call('listMemory', { key, params: memory, query })).body.items.length).toBeGreaterThan(0);
    const { text, headers } = byGithub(secretOfTests, { zen: 'Keep it.' });
    const sent = await call('receiveWebhook', {
      params: { webhookId: one.webhook.webhookId },
      text,
      headers,
    });
    expect(sent.body).toMatchObject({ status: 'accepted' });
  });

  test('has its schedule switched off and its keys revoked', async () => {
    const { body } = await call('getTrigger', { key, params: { trigger_id: one.schedule } });
    expect(body).toMatchObject({ enabled: false, disabled_reason: expect.stringContaining('was imported') });
    const keys = (await call('listApiKeys', { key })).body.items;
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.every(({ revoked_at }) => revoked_at !== undefined)).toBe(true);
    expect((await call('listApiKeys', { key: one.caller.key })).status).toBe(401);
  });

  test('is not imported a second time, nor from another archive', async () => {
    expect(await imported('with-secrets.age')).toMatchObject({
      code: 1,
      printed: expect.stringContaining('was imported from this archive'),
    });
    expect(await imported('plain.age')).toMatchObject({
      code: 1,
      printed: expect.stringContaining('The tenant has an organisation'),
    });
  });
});

test('an archive cannot change what another organisation of the tenant has', async () => {
  const [header = ''] = await linesOf('plain.age');
  const id = one.agent.a2aregistryid;
  const item = { pk: `AGENT#${id}`, sk: 'HISTORY#00000099', version: 99, action: 'deleted' };
  const lines = [
    { ...JSON.parse(header), orgid: 'org_thief', archive_id: 'theft' },
    { table: 'control', workspaceid: '', item },
    { end: true, records: 1 },
  ];
  await rewrite(
    'foreign-row.age',
    lines.map((line) => JSON.stringify(line)),
  );
  const { code, printed } = await imported('foreign-row.age');
  expect({ code, printed }).toEqual({
    code: 1,
    printed: expect.stringContaining(`Another organisation of the tenant has AGENT#${id}.`),
  });
  const all = await tablesOf(target.service.environment).readAll('control');
  expect(all.filter(({ sk }) => sk === item.sk)).toEqual([]);
});

test.each([
  ['export', ['--tenant', 'a', '--out', 'x'], 'The option --org is missing.'],
  ['export', ['--tenant', 'a', '--org', 'o/x', '--out', 'x'], '--org o/x'],
  ['export', ['--org', 'o', '--out', 'x'], 'Expected either --tenant or --environment.'],
  ['import', ['--tenant', 'a'], 'The option --in is missing.'],
])('%s %j is refused with the usage', async (name, args, said) => {
  const script = runScript(name, args);
  script.child.stdin?.end();
  expect(await script.ended).toBe(2);
  expect(script.printed()).toContain(said);
});
