// Which stacks `npm run deploy` finds, with CloudFormation as a server that knows some.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { findMissingStacks } from '#lib/cli/missing-stacks.ts';
import { parseTenant } from '#lib/infra/tenant.ts';
import { closeServer, listen } from '#lib/local/listen.ts';

const [stack, storage] = ['AgentFlow-acme', 'AgentFlow-acme-Storage'];
const namespace = 'xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"';
let deployed: readonly string[] = [];

const server = createServer(async (request, response) => {
  const name = new URLSearchParams(await text(request)).get('StackName') ?? '';
  const isKnown = deployed.includes(name);
  response.writeHead(isKnown ? 200 : 400, { 'content-type': 'text/xml' });
  response.end(
    isKnown
      ? `<DescribeStacksResponse ${namespace}><DescribeStacksResult><Stacks><member><StackName>${name}</StackName><StackStatus>UPDATE_COMPLETE</StackStatus></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`
      : `<ErrorResponse ${namespace}><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id ${name} does not exist</Message></Error></ErrorResponse>`,
  );
});
beforeAll(async () => {
  const environment = {
    AWS_ENDPOINT_URL_CLOUDFORMATION: await listen(server, 0),
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});
afterEach(() => {
  deployed = [];
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await closeServer(server);
});

const tenant = (storageStack: boolean) =>
  parseTenant(
    {
      id: 'acme',
      models: { default: { provider: 'bedrock', model: 'amazon.nova-lite-v1:0' } },
      modelDefault: 'default',
      storageStack,
    },
    'test',
  );

test.each([
  ['nothing', true, [], [storage, stack]],
  ['the storage', true, [storage], [stack]],
  ['both', true, [storage, stack], []],
  ['nothing', false, [], [stack]],
  ['the one stack', false, [stack], []],
])(
  'if %s is deployed, the others are missing (storageStack: %s)',
  async (_, storageStack, known, missing) => {
    deployed = known;
    expect(await findMissingStacks(tenant(storageStack))).toEqual({ missing });
  },
);

test.each([
  ['was removed', [storage]],
  ['is there', [storage, stack]],
])('storage of a stack that %s is not replaced by new tables', async (_, known) => {
  deployed = known;
  const { refusal } = await findMissingStacks(tenant(false));
  expect(refusal).toMatch(
    /in the stack AgentFlow-acme-Storage, .*Put "storageStack": true into tenants\/acme/,
  );
});
