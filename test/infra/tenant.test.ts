import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadTenants, parseTenant } from '#lib/infra/tenant.ts';
import { parseTenantModels } from '#lib/model/catalog.ts';
import { tenantLike, withApp } from './demo-app.ts';

const models = { default: { provider: 'bedrock', model: 'amazon.nova-lite-v1:0' } };
const demo = { id: 'demo', models, modelDefault: 'default' };

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-flow-tenants-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe('a tenant', () => {
  it('needs an id and its models, and gets defaults for the rest', () => {
    expect(parseTenant(demo, 'test')).toEqual({
      ...demo,
      stageName: 'main',
      runLimitSeconds: 145,
      backgroundLimitSeconds: 2_700,
      cancelOnDisconnect: true,
      runRetentionDays: 30,
      logRetentionDays: 30,
      auditRetentionDays: 365,
      throttle: { rate: 100, burst: 200 },
      workerConcurrency: 100,
      browserOrigins: [],
      functionRoles: 'shared',
      storageStack: false,
      gradualUpdates: false,
      connectorSearchTools: false,
      availabilityTarget: 99.9,
      dashboard: true,
      tags: {},
    });
  });

  it.each([
    ['an unknown field', { colour: 'red' }, /^acme\.json: colour: unknown field: expected one of id, /],
    ['a bad id', { id: 'Acme!' }, /^acme\.json: id: must be 1 to 30/],
    ['a run limit below 120 s', { runLimitSeconds: 60 }, /^acme\.json: runLimitSeconds: /],
    ['a run limit above 150 s', { runLimitSeconds: 151 }, /^acme\.json: runLimitSeconds: /],
    ['a background limit of more than a day', { backgroundLimitSeconds: 86_401 }, /backgroundLimitSeconds: /],
    ['runs kept for a day', { runRetentionDays: 1 }, /runRetentionDays: /],
    [
      'a default that is no model',
      { modelDefault: 'big' },
      /^acme\.json: modelDefault: must be a name in models/,
    ],
    ['a default that only objects have', { modelDefault: 'constructor' }, /modelDefault/],
    [
      'an unknown provider',
      { models: { default: { provider: 'x', model: 'm' } } },
      /models\.default\.provider/,
    ],
    [
      'a retention that CloudWatch lacks',
      { logRetentionDays: 31 },
      /logRetentionDays: must be one of 1, 3, 5/,
    ],
    ['an audit trail of a week', { auditRetentionDays: 7 }, /auditRetentionDays: /],
    ['an audit trail for ever', { auditRetentionDays: 4000 }, /auditRetentionDays: /],
    ['a bad account', { account: '123' }, /account: must be the 12 digits/],
    ['a bad region', { region: 'Frankfurt' }, /region: must be an AWS region/],
    [
      'a domain without certificate',
      { customDomain: { domainName: 'a.example.com' } },
      /customDomain\.certificateArn/,
    ],
    [
      'a zone that the domain is not in',
      { customDomain: { domainName: 'a.example.com', hostedZone: { id: 'Z1', name: 'ample.com' } } },
      /customDomain\.hostedZone\.name: must be the domain, or the end of it/,
    ],
    [
      'a zone without an id',
      { customDomain: { domainName: 'a.example.com', hostedZone: { name: 'example.com' } } },
      /customDomain\.hostedZone\.id/,
    ],
    ['gradual updates of some', { gradualUpdates: 'some' }, /gradualUpdates/],
    ['more traces than requests', { traceSampling: { perSecond: 1, share: 1.1 } }, /traceSampling\.share/],
    ['a bad e-mail address', { alarmEmail: 'ops' }, /alarmEmail/],
    [
      'a signing key that is no key',
      { signingKeys: ['own', 'mine'] },
      /signingKeys\.1: must be "own" or the ARN/,
    ],
    ['one signing key twice', { signingKeys: ['own', 'own'] }, /signingKeys: must name different keys/],
    ['a limit that lets nobody in', { limits: { key_requests: 0 } }, /limits\.key_requests/],
    [
      'an origin with a path',
      { browserOrigins: ['https://a.example/'] },
      /browserOrigins\.0: must be an origin/,
    ],
    [
      'an origin without TLS',
      { browserOrigins: ['http://a.example'] },
      /browserOrigins\.0: must be an origin/,
    ],
    ['every origin', { browserOrigins: ['*'] }, /browserOrigins\.0: must be an origin/],
    [
      'origins that exceed the environment variables of a function',
      { browserOrigins: [1, 2].map((n) => `https://${'a'.repeat(200)}${n}.example`) },
      /browserOrigins: must be at most 400 bytes/,
    ],
    ['roles of another kind', { functionRoles: 'one' }, /functionRoles/],
    ['a root agent that is none', { rootAgent: 'a b' }, /rootAgent: must be a flowid or a registry id/],
    [
      'a catalog without a domain',
      { catalog: { publisher: 'Example' } },
      /catalog\.publisher: must be a domain/,
    ],
    ['a catalog without a publisher', { catalog: {} }, /catalog\.publisher: /],
    ['no throttle at all', { throttle: { rate: 0, burst: 1 } }, /throttle\.rate/],
  ])('with %s is refused with its file and field', (_, change, message) => {
    expect(() => parseTenant({ ...demo, ...change }, 'acme.json')).toThrow(message);
  });

  it('whose models exceed the environment variables of a function is refused', () => {
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `model-${index}`,
        { provider: 'bedrock', model: 'x'.repeat(60) },
      ]),
    );
    expect(() => parseTenant({ ...demo, models: many, modelDefault: 'model-1' }, 'acme.json')).toThrow(
      /models: must be at most/,
    );
  });
});

describe('models', () => {
  const model = { provider: 'openai-compatible', base_url: 'https://api.example.com/v1', model: 'm' };
  it.each([
    ['a name in capitals', { Fast: model }, 'Fast'],
    ['an unknown provider', { fast: { ...model, provider: 'openai' } }, 'fast'],
    ['a key in the file', { fast: { ...model, api_key: 'sk-1' } }, 'fast'],
    ['a variable that is no key', { fast: { ...model, api_key_ref: 'AWS_SECRET_ACCESS_KEY' } }, 'fast'],
    ['an address with a query', { fast: { ...model, base_url: 'https://api.example.com/v1?key=1' } }, 'fast'],
    ['a default that is none of them', { fast: model }, 'smart'],
  ])('that a function could not read are refused at synth: %s', (_what, models, modelDefault) => {
    const tenant = { id: 'demo', models, modelDefault };
    expect(() => parseTenant(tenant, 'demo.json')).toThrow(/^demo\.json: model/);
    expect(() => parseTenantModels(JSON.stringify(models), modelDefault)).toThrow(/^MODEL/);
  });
});

describe('the folder of tenants', () => {
  const text = (change: object) => JSON.stringify({ ...demo, ...change });

  it('is read in the order of the file names', () => {
    const folder = folderWith({ 'b.json': text({ id: 'b' }), 'a.json': text({ id: 'a' }), 'notes.txt': '' });
    expect(loadTenants(folder).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it.each([
    ['is empty', {}, /at least one tenant file/],
    ['holds broken JSON', { 'demo.json': '{' }, /demo\.json: must be readable JSON/],
    [
      'holds a file that is not named after its tenant',
      { 'acme.json': text({}) },
      /acme\.json: id: must be the name of the file/,
    ],
    [
      'allows private addresses',
      { 'demo.json': text({ egressAllowPrivate: ['10.0.0.1:80'] }) },
      /demo\.json: egressAllowPrivate/,
    ],
    [
      'sends prompts without encryption',
      {
        'demo.json': text({
          models: {
            default: { provider: 'openai-compatible', base_url: 'http://m.example.com/v1', model: 'm' },
          },
        }),
      },
      /demo\.json: models\.default\.base_url: must be an https URL/,
    ],
    [
      'calls a model by a profile that its region does not have',
      {
        'demo.json': text({
          region: 'us-east-1',
          models: { default: { provider: 'bedrock', model: 'eu.amazon.nova-lite-v1:0' } },
        }),
      },
      /demo\.json: models\.default\.model: inference profiles that begin with "eu\."/,
    ],
    [
      'has a tenant whose stack differs from the storage of another one in upper case only',
      {
        'a.json': text({ id: 'a', storageStack: true }),
        'a-storage.json': text({ id: 'a-storage', storageStack: false }),
      },
      /a-storage\.json: id: the stacks AgentFlow-a-storage and AgentFlow-a-Storage would differ in upper case only/,
    ],
  ])('that %s is refused', (_, files, message) => {
    expect(() => loadTenants(folderWith(files))).toThrow(message);
  });

  it('may have a tenant whose id ends in "-storage" if no other stack has a similar name', () => {
    const folder = folderWith({
      'a.json': text({ id: 'a', storageStack: false }),
      'a-storage.json': text({ id: 'a-storage', storageStack: true }),
    });
    expect(loadTenants(folder)).toHaveLength(2);
  });

  it('of this project is valid', () => {
    const folder = new URL('../../tenants', import.meta.url).pathname;
    expect(loadTenants(folder).map(({ id }) => id)).toContain('demo');
  });
});

describe('the app', () => {
  it('gives each tenant a stack, and each environment one shared stack that deploys first', () => {
    const tenants = [
      tenantLike({ id: 'a' }),
      tenantLike({ id: 'b' }),
      tenantLike({ id: 'c', account: '111122223333', region: 'eu-central-1' }),
    ];
    const stacks = withApp(tenants, (app) => app.synth().stacks);
    const needs = new Map(stacks.map((stack) => [stack.id, stack.dependencies.map(({ id }) => id)]));
    const shared = (name: string) => expect.arrayContaining([name]);
    expect([...needs.keys()].sort()).toEqual([
      'AgentFlow-Shared',
      'AgentFlow-Shared-111122223333-eu-central-1',
      'AgentFlow-a',
      'AgentFlow-b',
      'AgentFlow-c',
    ]);
    expect(needs.get('AgentFlow-a')).toEqual(shared('AgentFlow-Shared'));
    expect(needs.get('AgentFlow-b')).toEqual(shared('AgentFlow-Shared'));
    expect(needs.get('AgentFlow-c')).toEqual(shared('AgentFlow-Shared-111122223333-eu-central-1'));
  });

  it("sets API Gateway's account-wide log role only in the shared stack, so that tenants never overwrite it", () => {
    const [shared, tenant] = withApp([tenantLike()], (app) =>
      app
        .synth()
        .stacks.map(({ template }) => JSON.stringify(template).split('AWS::ApiGateway::Account').length - 1),
    );
    expect([shared, tenant]).toEqual([1, 0]);
  });
});
