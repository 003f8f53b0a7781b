// One call of STS: AssumeRole, under the role of this function. Messages name the connection and the code of STS,
// never what was sent or received.
import { awsEndpoint } from '#lib/aws-post.ts';
import type { GuardedFetch } from '#lib/egress/guarded-fetch.ts';
import { signRequest } from '#lib/egress/sign-aws-request.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { type Secret, secret } from '#lib/secret.ts';
import type { ConnectionOwner } from './connection.ts';

export interface AwsSession {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken: Secret;
  /** Ms since 1970. */
  readonly expiresAt: number;
}

export interface RoleRequest {
  /** The name of the connection. */
  readonly name: string;
  readonly roleArn: string;
  readonly externalId: string;
  readonly owner: Pick<ConnectionOwner, 'orgid' | 'workspaceid'>;
}

/** The shortest that STS has: a role that no longer trusts the service is of no use soon after. */
const durationSeconds = 900;
const limits = { headersMs: 10_000, bodyMs: 5_000, responseBytesMax: 64 * 1024 };

/**
 * Throws `NodeError`: `connection.refused` when STS refuses, `connection.unavailable` when a later attempt may
 * succeed.
 */
export async function assumeRole(
  fetch: GuardedFetch,
  request: RoleRequest,
  now: () => number,
): Promise<AwsSession> {
  const { status, text } = await send(fetch, request, now());
  const session = status === 200 ? parseSession(text) : undefined;
  if (session) return session;
  const code = findText(text, 'Code') ?? `status ${status}`;
  if (status >= 500 || status === 429 || /Throttl|RequestLimit|IDPCommunication/.test(code))
    throw new NodeError('connection.unavailable', `STS is not available (${code}).`);
  const message = `The role of the connection "${request.name}" cannot be assumed: ${code}. Its trust policy must allow sts:AssumeRole and sts:TagSession to the account of the service, with the external id of the connection.`;
  throw new NodeError('connection.refused', message);
}

async function send(fetch: GuardedFetch, request: RoleRequest, nowMs: number) {
  const credential = {
    to: 'signature' as const,
    sign: signRequest(ownSession(), { service: 'sts', region: ownRegion() }, () => nowMs),
    secrets: [],
  };
  try {
    const response = await fetch(awsEndpoint('sts', ownRegion()), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: toForm(request).toString(),
      redirect: 'error',
      limits,
      credential,
    });
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    throw new NodeError('connection.unavailable', 'STS did not answer.', { cause });
  }
}

/** The session is named after the owner of the connection, for the CloudTrail of the account of the role. */
function toForm({ name, roleArn, externalId, owner }: RoleRequest): URLSearchParams {
  const { orgid, workspaceid } = owner;
  const form = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: `agent-flow@${orgid}@${workspaceid}`.slice(0, 64),
    ExternalId: externalId,
    DurationSeconds: String(durationSeconds),
  });
  for (const [index, [key, value]] of Object.entries({ orgid, workspaceid, connection: name }).entries()) {
    form.set(`Tags.member.${index + 1}.Key`, `agent-flow:${key}`);
    form.set(`Tags.member.${index + 1}.Value`, value);
  }
  return form;
}

/** Set by Lambda. */
const ownRegion = (): string => required('AWS_REGION');

function ownSession() {
  const token = process.env.AWS_SESSION_TOKEN;
  return {
    accessKeyId: required('AWS_ACCESS_KEY_ID'),
    secretAccessKey: secret(required('AWS_SECRET_ACCESS_KEY')),
    sessionToken: token ? secret(token) : undefined,
  };
}

function required(name: 'AWS_REGION' | 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY'): string {
  const value = process.env[name];
  if (value) return value;
  throw new NodeError('connection.unavailable', `The service has no credentials of AWS: ${name} is not set.`);
}

function parseSession(text: string): AwsSession | undefined {
  const [accessKeyId, key, token, expiration] = [
    'AccessKeyId',
    'SecretAccessKey',
    'SessionToken',
    'Expiration',
  ].map((name) => findText(text, name));
  const expiresAt = Date.parse(expiration ?? '');
  if (!accessKeyId || !key || !token || Number.isNaN(expiresAt)) return undefined;
  return { accessKeyId, secretAccessKey: secret(key), sessionToken: secret(token), expiresAt };
}

/** The answers of STS have no element twice, no attributes in these, and no entities in their texts. */
const findText = (xml: string, element: string): string | undefined =>
  new RegExp(`<${element}>([^<>&]{1,8192})</${element}>`).exec(xml)?.[1];
