// `npm run members`, as an operator runs it against the table of the service.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { closeServer, listen } from '#lib/local/listen.ts';
import { unique } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { Browser, newEmail, pageHeaders, signIn } from '#test/support/person.ts';
import { runScript, unsetAws } from '#test/support/run-script.ts';
import { testedService } from '#test/support/tested-service.ts';

const invite = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const script = runScript('members', ['invite', ...args], env);
  return { code: await script.ended, printed: script.printed() };
};

test('who is invited becomes a member by signing in, in whatever case the address was typed', async () => {
  const { environment } = testedService();
  const [email, org] = [newEmail(), unique('org')];
  const wanted = ['--control-table', environment.CONTROL_TABLE ?? '', '--org', org, '--role', 'operator'];
  const { code, printed } = await invite(
    [...wanted, '--email', email.toUpperCase(), '--workspace', 'ws_a'],
    environment,
  );
  expect(code, printed).toBe(0);
  expect(printed).toContain(`${email} is invited to ${org} as operator`);
  const browser = new Browser();
  expect((await signIn(browser, email)).status).toBe(303);
  expect((await call('getMe', { headers: pageHeaders(browser) })).body).toMatchObject({
    orgid: org,
    roles: { ws_a: 'operator' },
    workspaces: ['ws_a'],
  });
});

test('with a user pool the person gets an account there, and no invitation if that fails', async () => {
  const { environment } = testedService();
  const asked: string[] = [];
  let status = 200;
  const server = createServer(async (request, response) => {
    asked.push(await text(request));
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end('{}');
  });
  onTestFinished(() => closeServer(server));
  const env = { ...environment, AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: await listen(server, 0) };
  const table = ['--control-table', environment.CONTROL_TABLE ?? '', '--user-pool', 'eu-central-1_Pool'];
  const run = async (email: string) =>
    await invite([...table, '--org', unique('org'), '--role', 'viewer', '--email', email], env);
  const [email, other] = [newEmail(), newEmail()];
  expect((await run(email)).code).toBe(0);
  expect(asked.map((body) => JSON.parse(body))).toMatchObject([
    { UserPoolId: 'eu-central-1_Pool', Username: email },
  ]);
  status = 403;
  const failed = await run(other);
  expect(failed.code).toBe(1);
  expect(failed.printed).toContain('Nobody was invited');
  expect((await signIn(new Browser(), other)).status).toBe(403);
});

test('with --tenant the stack names the table and the user pool', async () => {
  const { environment } = testedService();
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    asked.push(body);
    const isStack = body.includes('DescribeStacks');
    const type = isStack ? 'text/xml' : 'application/x-amz-json-1.1';
    response.setHeader('content-type', type);
    response.end(isStack ? describeStack({ ...environment, UserPoolId: 'eu-central-1_Pool' }) : '{}');
  });
  onTestFinished(() => closeServer(server));
  const url = await listen(server, 0);
  const { CONTROL_TABLE: _, ...others } = environment;
  const endpoints = { AWS_ENDPOINT_URL_CLOUDFORMATION: url, AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: url };
  const email = newEmail();
  const args = ['--tenant', 'acme', '--org', unique('org'), '--role', 'owner', '--email', email];
  const { code, printed } = await invite(args, { ...others, ...endpoints });
  expect(code, printed).toBe(0);
  expect(asked).toMatchObject([
    expect.stringContaining('StackName=AgentFlow-acme'),
    expect.stringContaining('"UserPoolId":"eu-central-1_Pool"'),
  ]);
  expect((await signIn(new Browser(), email)).status).toBe(303);
});

const describeStack = ({ CONTROL_TABLE = '', UserPoolId = '' }: NodeJS.ProcessEnv): string => {
  const outputs = Object.entries({ ControlTableName: CONTROL_TABLE, UserPoolId }).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member><StackName>AgentFlow-acme</StackName><Outputs>${outputs.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;
};

test.each([
  [['--org', 'o', '--email', 'a@example.com', '--role', 'owner'], 'either --tenant or --control-table'],
  [['--tenant', 't', '--control-table', 't', '--org', 'o'], 'either --tenant or --control-table'],
  [['--control-table', 't', '--org', 'o', '--email', 'a', '--role', 'owner'], '--email a: '],
  [
    ['--control-table', 't', '--org', 'o', '--email', 'a@example.com', '--role', 'king'],
    'must be one of owner, admin',
  ],
  [['--control-table', 't', '--org', '/', '--email', 'a@example.com', '--role', 'owner'], '--org /: '],
  [['--control-table', 't', '--days', '31', '--org', 'o'], '--days must be'],
])('%j is refused with the reason', async (args, reason) => {
  const { code, printed } = await invite(args);
  expect(code).toBe(2);
  expect(printed).toContain(reason);
});

test('reports in one line that AWS cannot be reached', async () => {
  const args = ['--control-table', 't', '--org', 'o', '--email', 'a@example.com', '--role', 'owner'];
  const { code, printed } = await invite(args, unsetAws);
  expect(code).toBe(1);
  expect(printed).toMatch(/^Nobody was invited: /);
});
