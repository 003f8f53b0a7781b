// Invitations of a tenant with a user pool: the function of this process, with an API of Cognito that a test serves.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { closeServer, listen } from '#lib/local/listen.ts';
import { createAccount } from '#lib/session/user-pool.ts';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { call } from '#test/support/client.ts';
import { eventFor, lambdaContext } from '#test/support/events.ts';
import { newEmail } from '#test/support/person.ts';
import { handler } from '../../../functions/member/invite.ts';

const pool = 'eu-central-1_Pool';
/** The error with which the API answers. */
let refusal: string | undefined;
const created: { readonly target: unknown; readonly body: unknown }[] = [];

const server = createServer(async (request, response) => {
  created.push({ target: request.headers['x-amz-target'], body: JSON.parse(await text(request)) });
  const isOutage = refusal === 'InternalErrorException';
  response
    .writeHead(refusal === undefined ? 200 : isOutage ? 500 : 400, {
      'content-type': 'application/x-amz-json-1.1',
    })
    .end(JSON.stringify(refusal === undefined ? { User: {} } : { __type: refusal, message: 'no' }));
});

beforeAll(async () => {
  process.env.AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER = await listen(server, 0);
  process.env.SIGN_IN_USER_POOL_ID = pool;
});
afterAll(() => closeServer(server));
beforeEach(() => {
  refusal = undefined;
  created.length = 0;
});

async function invite(caller: TestCaller, email: string) {
  const body = { email, roles: { '*': 'viewer' } };
  const event = eventFor('inviteMember', { key: caller.key, body });
  const answer = await handler(event as never, lambdaContext());
  return { status: answer.statusCode, body: JSON.parse(String(answer.body)) };
}
const invited = async ({ key }: TestCaller) =>
  (await call('listInvitations', { key })).body.items.map(({ email }) => email);

test('who is invited gets an account without a password, and Cognito sends no mail', async () => {
  const [caller, email] = [await newCaller(), newEmail()];
  expect((await invite(caller, email.toUpperCase())).status).toBe(201);
  expect(created).toEqual([
    {
      target: 'AWSCognitoIdentityProviderService.AdminCreateUser',
      body: {
        UserPoolId: pool,
        Username: email,
        UserAttributes: [
          { Name: 'email', Value: email },
          { Name: 'email_verified', Value: 'true' },
        ],
        MessageAction: 'SUPPRESS',
      },
    },
  ]);
});

test('who has an account already is invited all the same', async () => {
  refusal = 'UsernameExistsException';
  const [caller, email] = [await newCaller(), newEmail()];
  expect((await invite(caller, email)).status).toBe(201);
  expect(await invited(caller)).toEqual([email]);
});

test('while Cognito does not answer nobody is invited, and the request can be repeated', async () => {
  refusal = 'InternalErrorException';
  const [caller, email] = [await newCaller(), newEmail()];
  expect(await invite(caller, email)).toMatchObject({
    status: 503,
    body: { code: 'dependency_unavailable' },
  });
  expect(await invited(caller)).toEqual([]);
  refusal = undefined;
  expect((await invite(caller, email)).status).toBe(201);
});

test('an address that Cognito refuses is a mistake of the request', async () => {
  refusal = 'InvalidParameterException';
  const caller = await newCaller();
  const { status, body } = await invite(caller, newEmail());
  expect(status).toBe(400);
  expect(body.errors).toEqual([
    { pointer: '/body/email', detail: 'must be an address that Amazon Cognito takes' },
  ]);
  expect(await invited(caller)).toEqual([]);
});

test('who may not invite creates no account', async () => {
  const caller = await newCaller({ scopes: ['members:read'] });
  expect((await invite(caller, newEmail())).status).toBe(403);
  expect(created).toEqual([]);
});

test('an operator creates the account in the same way', async () => {
  await createAccount(pool, 'ann@example.com');
  expect(created).toMatchObject([{ body: { UserPoolId: pool, Username: 'ann@example.com' } }]);
});
