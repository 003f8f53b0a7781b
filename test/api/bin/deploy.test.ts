// `npm run deploy`, with a CDK that only notes its commands, and the state of the stack as CloudFormation reports it.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { closeServer, listen } from '#lib/local/listen.ts';
import { runScript, unsetAws } from '#test/support/run-script.ts';
import { testedService } from '#test/support/tested-service.ts';

const namespace = 'xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"';
const missing = (name: string) =>
  `<ErrorResponse ${namespace}><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id ${name} does not exist</Message></Error></ErrorResponse>`;
/** That of `tenants/demo.json`. */
const address = 'https://abc123.execute-api.eu-central-1.amazonaws.com/main';
function describeStack(name: string, status: string, outputs: Readonly<Record<string, string>>): string {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return `<DescribeStacksResponse ${namespace}><DescribeStacksResult><Stacks><member><StackName>${name}</StackName><StackStatus>${status}</StackStatus><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;
}

/**
 * `states` has the state of the stack of the tenant at each request; the last one remains. `storage` is that of its
 * other stack.
 */
async function deploy(
  states: readonly (string | undefined)[],
  {
    failing = 'nothing',
    options = ['--yes'],
    accessKey = 'local',
    deployedAt = address,
    updatedTo = testedService().baseUrl,
    storage = states[0],
    outputs = {},
  }: DeployOptions = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-flow-deploy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const commands = join(folder, 'commands');
  writeFileSync(commands, '');
  const cdk = `#!/bin/sh\necho "$*" >> '${commands}'\ncase "$(wc -l < '${commands}') $*" in ${failing}) exit 1;; esac\n`;
  writeFileSync(join(folder, 'cdk'), cdk);
  chmodSync(join(folder, 'cdk'), 0o755);
  let n = 0;
  const server = createServer(async (request, response) => {
    const name = new URLSearchParams(await text(request)).get('StackName') ?? '';
    const isStorage = name.endsWith('-Storage');
    const status = isStorage ? storage : states[Math.min(n, states.length - 1)];
    if (!isStorage) n += 1;
    response.writeHead(status === undefined ? 400 : 200, { 'content-type': 'text/xml' });
    const isUpdated = readFileSync(commands, 'utf8').includes('deploy ');
    const GatewayUrl = isUpdated ? updatedTo : deployedAt;
    response.end(
      status === undefined ? missing(name) : describeStack(name, status, { GatewayUrl, ...outputs }),
    );
  });
  onTestFinished(() => closeServer(server));
  const script = runScript('deploy', ['demo', ...options], {
    ...unsetAws,
    AWS_REGION: 'eu-central-1',
    ...(accessKey && { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: 'local' }),
    // Without keys of the environment, those of a machine of AWS are looked for.
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ENDPOINT_URL_CLOUDFORMATION: await listen(server, 0),
    PATH: [folder, process.env.PATH].join(delimiter),
  });
  const code = await script.ended;
  const ran = readFileSync(commands, 'utf8').trim().split('\n');
  return {
    code,
    asked: n,
    printed: script.printed(),
    ran: ran.map((line) => line.replace(/ --require.*events/, '')),
  };
}

interface DeployOptions {
  readonly failing?: string;
  readonly options?: readonly string[];
  readonly accessKey?: string;
  readonly deployedAt?: string;
  readonly updatedTo?: string;
  readonly storage?: string | undefined;
  /** Of the stack of the tenant, beside its address. */
  readonly outputs?: Readonly<Record<string, string>>;
}

/** With the address of `tenants/demo.json`, which CloudFormation would refuse if the stack has another one. */
const accepted = '--parameters AgentFlow-demo:Address=main AgentFlow-demo';
const deployed = [`diff --app cdk.out ${accepted}`, `deploy --app cdk.out ${accepted}`];
const synthFirst = (stacks: string) => `synth --quiet --context agent-flow:first-deployment=${stacks}`;
const unprotected = [synthFirst('AgentFlow-demo-Storage,AgentFlow-demo'), ...deployed];
const protecting = ['synth --quiet', `deploy --app cdk.out ${accepted}`];

test.each([undefined, 'REVIEW_IN_PROGRESS', 'ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'DELETE_COMPLETE'])(
  'a stack that is %s is created without protection, and protected afterwards',
  async (state) => {
    const { code, printed, ran } = await deploy([state, 'CREATE_COMPLETE']);
    expect(code, printed).toBe(0);
    expect(ran).toEqual([...unprotected, ...protecting]);
    expect(printed).toContain(testedService().baseUrl);
  },
);

test('the stack of a tenant that was removed is created around its storage, which stays protected', async () => {
  const { code, printed, ran } = await deploy([undefined, 'CREATE_COMPLETE'], { storage: 'UPDATE_COMPLETE' });
  expect(code, printed).toBe(0);
  expect(printed).toContain('AgentFlow-demo-Storage exists: its tables and keys are used.');
  expect(ran).toEqual([synthFirst('AgentFlow-demo'), ...deployed, ...protecting]);
});

test('a tenant whose tables are in its own stack is not given empty ones in another', async () => {
  const outputs = { ControlTableName: 'AgentFlow-demo-ControlTable' };
  const { code, printed, ran } = await deploy(['UPDATE_COMPLETE'], { outputs, storage: undefined });
  expect({ code, ran }).toEqual({ code: 1, ran: [''] });
  expect(printed).toContain(
    'AgentFlow-demo was not deployed. The tables and keys of the tenant are in the stack AgentFlow-demo,',
  );
  expect(printed).toContain('Remove "storageStack" from tenants/demo.json');
  const own = await deploy(['UPDATE_COMPLETE'], {
    outputs: { ...outputs, StorageStackName: 'AgentFlow-demo-Storage' },
  });
  expect(own.code, own.printed).toBe(0);
});

test('before a stack is created, the region is named in which it does not exist', async () => {
  const { printed } = await deploy([undefined, 'CREATE_COMPLETE']);
  expect(printed).toMatch(/^AgentFlow-demo does not exist in eu-central-1 yet: it is created there\./m);
});

test('a service that answers otherwise is no fault of the credentials, and the deployment is not undone', async () => {
  const open = createServer((_request, response) => response.end('{}'));
  onTestFinished(() => closeServer(open));
  const { code, printed } = await deploy(['UPDATE_COMPLETE'], { updatedTo: await listen(open, 0) });
  expect(code).toBe(1);
  expect(printed).toMatch(
    /AgentFlow-demo is deployed, but does not answer as expected: GET .*: expected status 401, got 200/,
  );
  expect(printed).not.toContain('credentials');
});

test.each(['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE', 'IMPORT_COMPLETE'])(
  'a stack that is %s is never without protection',
  async (state) => {
    const { code, printed, ran } = await deploy([state]);
    expect(code, printed).toBe(0);
    expect(ran).toEqual(['synth --quiet', ...deployed]);
  },
);

test('--diff asks only the CDK, whose role may read the stack', async () => {
  const { code, asked, ran } = await deploy([undefined], { options: ['--diff'] });
  expect({ code, asked, ran }).toEqual({ code: 0, asked: 0, ran: ['synth --quiet', deployed[0]] });
});

test.each([
  ['--diff', 'AgentFlow-demo was not compared'],
  ['--yes', 'AgentFlow-demo was not deployed'],
])('without credentials %s ends before anything is synthesized', async (option, said) => {
  const { code, printed, ran } = await deploy([undefined], { options: [option], accessKey: '' });
  expect({ code, ran }).toEqual({ code: 1, ran: [''] });
  expect(printed).toContain(`${said}: Could not load credentials from any providers.`);
  expect(printed).toContain('The region is that of tenants/demo.json, or of the environment');
});

test('a first deployment that fails is not protected', async () => {
  const { code, printed, ran } = await deploy([undefined], { failing: "'3 deploy'*" });
  expect(code).toBe(1);
  expect(printed).toContain('AgentFlow-demo was not deployed');
  expect(ran).toEqual(unprotected);
});

test('a stack whose address would be gone is not deployed, unless that is said', async () => {
  const deployedAt = 'https://agents.example.com';
  const { code, printed, ran } = await deploy(['UPDATE_COMPLETE'], { deployedAt });
  expect({ code, ran }).toEqual({ code: 1, ran: [''] });
  expect(printed).toContain('AgentFlow-demo was not deployed. Agent Cards, webhooks and clients have');
  expect(printed).toContain('Keep it for a while with agents.example.com in "domains", after the new one');
  const abandoned = await deploy(['UPDATE_COMPLETE'], {
    deployedAt,
    options: ['--yes', '--abandon-address'],
  });
  expect(abandoned.code, abandoned.printed).toBe(0);
  expect(abandoned.ran).toEqual(['synth --quiet', ...deployed]);
});

test('a deployment whose protection fails says so', async () => {
  const { code, printed } = await deploy([undefined, 'CREATE_COMPLETE'], { failing: "'5 deploy'*" });
  expect(code).toBe(1);
  expect(printed).toContain('AgentFlow-demo is deployed, but not protected: cdk deploy ended with code 1.');
});

test('nothing is deployed while CloudFormation does not say what there is', async () => {
  const script = runScript('deploy', ['demo', '--yes'], {
    ...unsetAws,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_CLOUDFORMATION: 'http://127.0.0.1:9',
  });
  expect(await script.ended).toBe(1);
  expect(script.printed()).toContain('AgentFlow-demo was not deployed');
});
