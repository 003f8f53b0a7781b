// STS and a service of AWS on loopback. Both verify signatures: STS that of the function, the service that of a
// session that STS has given.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AssumeRoleForm, newAwsAccount } from '#test/support/aws-account.ts';
import { fetchTo } from './connections.ts';
import { type Loopback, loopback, readText } from './loopback.ts';

const roleArn = 'arn:aws:iam::123456789012:role/agent-flow/search';

export const functionKey = {
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
  readonly assumed: readonly AssumeRoleForm[];
  /** What the service has accepted. */
  readonly accepted: VerifiedRequest[];
  readonly fetch: Loopback['fetch'];
}

export async function aws({
  trusted,
  now,
  lifetimeSeconds,
  sts: refuse = () => false,
  service = () => false,
}: AwsOptions): Promise<Aws> {
  const accepted: VerifiedRequest[] = [];
  const account = newAwsAccount({
    serviceKey: functionKey,
    trusts: ({ ExternalId = '', RoleArn }) => RoleArn === roleArn && trusted.includes(ExternalId),
    ...(now && { now }),
    ...(lifetimeSeconds !== undefined && { lifetimeSeconds }),
  });
  const sts = await loopback(async (request, response) => {
    const body = await readText(request);
    if (!refuse(response)) account.answerSts(request, body, response);
  });
  const api = await loopback(async (request, response) => {
    const body = await readText(request);
    const signed = account.verify(request, body);
    response.setHeader('content-type', 'application/json');
    if (!signed) {
      response.writeHead(403);
      return void response.end('{"message":"The security token included in the request is invalid."}');
    }
    const { url: target = '' } = request;
    const { externalId } = signed.session;
    accepted.push({ scope: `${signed.service}/${signed.region}`, externalId, target, body });
    if (service(request, response)) return;
    response.end(JSON.stringify({ echo: request.headers['x-amz-security-token'] }));
  });
  const restore = withFunctionKey(sts.url);
  return {
    sts,
    api,
    assumed: account.assumed,
    accepted,
    fetch: fetchTo(sts.host, api.host),
    [Symbol.asyncDispose]: async () => {
      restore();
      await sts[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

/** Sets the environment of a function; the result restores it. */
export function withFunctionKey(stsUrl: string): () => void {
  const environment = {
    AWS_ENDPOINT_URL_STS: stsUrl,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: functionKey.id,
    AWS_SECRET_ACCESS_KEY: functionKey.secret,
    AWS_SESSION_TOKEN: functionKey.token,
  };
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, environment);
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
}

/** As a caller of the API writes it. */
export const awsConnection = (hosts: readonly string[], some: object = {}) => ({
  type: 'aws_sigv4',
  hosts,
  credential: { role_arn: roleArn, services: ['execute-api'], regions: ['eu-central-1'], ...some },
});
