// STS and a service of AWS on loopback. Both verify signatures: STS that of the function, the service that of a
// session that STS has given.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { verifyAwsSignature } from '#test/support/verify-aws-signature.ts';
import { fetchTo } from './connections.ts';
import { type Loopback, loopback, readText } from './loopback.ts';

const roleArn = 'arn:aws:iam::123456789012:role/agent-flow/search';

const functionKey = {
  id: 'ASIAFUNCTION',
  secret: 'the key of the function',
  token: 'the token of the function',
};

export interface AwsOptions {
  /** External ids that the trust policy of the role has. */
  readonly trusted: readonly string[];
  readonly now?: () => number;
  readonly lifetimeSeconds?: number;
  readonly sts?: (response: ServerResponse) => boolean;
  readonly service?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

interface VerifiedRequest {
  readonly scope: string;
  /** The external id of the session. */
  readonly externalId: string;
  readonly target: string;
  readonly body: string;
}

export interface Aws extends AsyncDisposable {
  readonly sts: Loopback;
  readonly api: Loopback;
  /** The forms that STS got from the function. */
  readonly assumed: Readonly<Record<string, string>>[];
  /** What the service has accepted. */
  readonly accepted: VerifiedRequest[];
  readonly fetch: Loopback['fetch'];
}

export async function aws({
  trusted,
  now = Date.now,
  lifetimeSeconds = 900,
  sts: refuse = () => false,
  service = () => false,
}: AwsOptions): Promise<Aws> {
  const assumed: Record<string, string>[] = [];
  const accepted: VerifiedRequest[] = [];
  const sessions = new Map<string, { secret: string; token: string; externalId: string; until: number }>();
  const sts = await loopback(async (request, response) => {
    const body = await readText(request);
    const signature = verifyAwsSignature(toReceived(request, body), (id) =>
      id === functionKey.id ? functionKey.secret : undefined,
    );
    if (refuse(response)) return;
    const isFunction = request.headers['x-amz-security-token'] === functionKey.token;
    if (signature?.service !== 'sts' || !isFunction) return stsError(response, 'InvalidClientTokenId');
    const form = Object.fromEntries(new URLSearchParams(body));
    assumed.push(form);
    const { ExternalId = '', RoleArn } = form;
    if (RoleArn !== roleArn || !trusted.includes(ExternalId)) return stsError(response, 'AccessDenied');
    const id = `ASIA${sessions.size}`;
    const session = {
      secret: `${randomBytes(20).toString('base64')}+/=`,
      token: `token-of-session-${sessions.size}+/==`,
      externalId: ExternalId,
      until: now() + lifetimeSeconds * 1_000,
    };
    sessions.set(id, session);
    response.end(`<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleResult>
    <AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/search/s</Arn></AssumedRoleUser>
    <Credentials>
      <AccessKeyId>${id}</AccessKeyId>
      <SecretAccessKey>${session.secret}</SecretAccessKey>
      <SessionToken>${session.token}</SessionToken>
      <Expiration>${new Date(session.until).toISOString()}</Expiration>
    </Credentials>
  </AssumeRoleResult>
</AssumeRoleResponse>`);
  });
  const api = await loopback(async (request, response) => {
    const body = await readText(request);
    const signature = verifyAwsSignature(toReceived(request, body), (id) => sessions.get(id)?.secret);
    const session = sessions.get(signature?.accessKeyId ?? '');
    const isFresh = session && session.until > now();
    if (!signature || !isFresh || request.headers['x-amz-security-token'] !== session.token) {
      response.writeHead(403, { 'content-type': 'application/json' });
      return void response.end('{"message":"The security token included in the request is invalid."}');
    }
    const { url: target = '' } = request;
    const scope = `${signature.service}/${signature.region}`;
    accepted.push({ scope, externalId: session.externalId, target, body });
    if (service(request, response)) return;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ echo: request.headers['x-amz-security-token'] }));
  });
  const environment = {
    AWS_ENDPOINT_URL_STS: sts.url,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: functionKey.id,
    AWS_SECRET_ACCESS_KEY: functionKey.secret,
    AWS_SESSION_TOKEN: functionKey.token,
  };
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, environment);
  return {
    sts,
    api,
    assumed,
    accepted,
    fetch: fetchTo(sts.host, api.host),
    [Symbol.asyncDispose]: async () => {
      for (const [name, value] of before)
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      await sts[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

const toReceived = ({ method = '', url = '', headers }: IncomingMessage, body: string) => ({
  method,
  target: url,
  headers,
  body,
});

function stsError(response: ServerResponse, code: string): void {
  response.writeHead(403);
  response.end(
    `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>User: arn:aws:sts::999:assumed-role/fn is not authorized</Message></Error></ErrorResponse>`,
  );
}

/** As a caller of the API writes it. */
export const awsConnection = (hosts: readonly string[], some: object = {}) => ({
  type: 'aws_sigv4',
  hosts,
  credential: { role_arn: roleArn, services: ['execute-api'], regions: ['eu-central-1'], ...some },
});
