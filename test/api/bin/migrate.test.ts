// `npm run migrate`, as an operator runs it against the function of a running service.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { closeServer, listen } from '#lib/local/listen.ts';
import { type ForkedHost, forkHost } from '#test/support/forked-host.ts';
import { runScript, unsetAws } from '#test/support/run-script.ts';

let host: ForkedHost;
beforeAll(async () => {
  host = await forkHost();
});
afterAll(async () => await host.stop());

async function run(args: readonly string[], env: NodeJS.ProcessEnv = host.service.environment) {
  const script = runScript('migrate', args, env);
  return { code: await script.ended, printed: script.printed() };
}
const local = ['--function', 'Migrate', 'list-index'];

test('shows how far a job is, runs it to its end, and may run it again', async () => {
  const before = await run([...local, '--status']);
  expect(before).toEqual({ code: 0, printed: expect.stringContaining('list-index: new, 0 items seen') });
  const first = await run(local);
  expect(first).toEqual({ code: 0, printed: expect.stringMatching(/list-index: done, \d+ items seen/) });
  expect((await run([...local, '--status'])).printed).toContain(first.printed.trim().split('\n').at(-1));
  expect(await run(local)).toEqual({ code: 0, printed: expect.stringContaining(' 0 changed, 0 failed') });
});

test('with --tenant the stack names the function', async () => {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    asked.push(await text(request));
    response.setHeader('content-type', 'text/xml').end(describeStack);
  });
  onTestFinished(() => closeServer(server));
  const env = { ...host.service.environment, AWS_ENDPOINT_URL_CLOUDFORMATION: await listen(server, 0) };
  const { code, printed } = await run(['--tenant', 'acme', 'list-index', '--status'], env);
  expect(code, printed).toBe(0);
  expect(asked).toEqual([expect.stringContaining('StackName=AgentFlow-acme')]);
});
const describeStack =
  '<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member><StackName>AgentFlow-acme</StackName><StackStatus>UPDATE_COMPLETE</StackStatus><Outputs><member><OutputKey>MigrationFunctionName</OutputKey><OutputValue>Migrate</OutputValue></member></Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>';

test('a function that cannot be invoked leaves one line, and the same command continues', async () => {
  const { code, printed } = await run(['--function', 'nosuch', 'list-index']);
  expect(code).toBe(1);
  expect(printed.trim().split('\n')).toEqual([
    expect.stringContaining('the same command continues it: nosuch answered 404: Function not found: nosuch'),
  ]);
  expect((await run(local, unsetAws)).printed).toContain('Region is missing');
});

test.each([
  ['no job', ['--function', 'Migrate'], 'Expected a job: list-index'],
  ['an unknown job', ['--function', 'Migrate', 'nosuch'], 'Expected a job: list-index'],
  ['no function', ['list-index'], 'Expected either --tenant or --function.'],
  [
    'too high a rate',
    [...local, '--write-units', '5000'],
    '--write-units must be an integer from 10 to 4000.',
  ],
])('%s is refused with the usage', async (_, args, said) => {
  const { code, printed } = await run(args);
  expect({ code, printed }).toEqual({ code: 2, printed: expect.stringContaining(said) });
});
