// The parts of AWS behind connections of type `aws_sigv4`: STS, which lets the service assume roles by their trust policies,
// and the services that accept signatures of the sessions. Written from the documentation of AWS.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type VerifiedSignature, verifyAwsSignature } from './verify-aws-signature.ts';

/** The form of AssumeRole. */
export type AssumeRoleForm = Readonly<Record<string, string>>;

export interface AwsAccountOptions {
  /** With which the service signs what it sends to STS. */
  readonly serviceKey: { readonly id: string; readonly secret: string; readonly token: string | undefined };
  /** Whether the trust policy of the role allows it. */
  readonly trusts: (form: AssumeRoleForm) => boolean;
  readonly now?: () => number;
  readonly lifetimeSeconds?: number;
}

export interface RoleSession {
  readonly secret: string;
  readonly token: string;
  readonly roleArn: string;
  readonly externalId: string;
  readonly until: number;
}

export interface SignedRequest extends VerifiedSignature {
  readonly session: RoleSession;
}

export interface AwsAccount {
  readonly answerSts: (request: IncomingMessage, body: string, response: ServerResponse) => void;
  /** Undefined for what AWS refuses with 403. */
  readonly verify: (request: IncomingMessage, body: string) => SignedRequest | undefined;
  /** The forms of AssumeRole that were signed by the service, oldest first. */
  readonly assumed: AssumeRoleForm[];
}

export function newAwsAccount({
  serviceKey,
  trusts,
  now = Date.now,
  lifetimeSeconds = 900,
}: AwsAccountOptions): AwsAccount {
  const assumed: AssumeRoleForm[] = [];
  const sessions = new Map<string, RoleSession>();

  const answerSts: AwsAccount['answerSts'] = (request, body, response) => {
    const signature = verifyAwsSignature(toReceived(request, body), (id) =>
      id === serviceKey.id ? serviceKey.secret : undefined,
    );
    const isService = request.headers['x-amz-security-token'] === serviceKey.token;
    if (signature?.service !== 'sts' || !isService) return refuse(response, 'InvalidClientTokenId');
    const form = Object.fromEntries(new URLSearchParams(body));
    assumed.push(form);
    if (!trusts(form)) return refuse(response, 'AccessDenied');
    const id = `ASIA${sessions.size}`;
    const session = {
      secret: `${randomBytes(20).toString('base64')}+/=`,
      token: `token-of-session-${sessions.size}+/==`,
      roleArn: form.RoleArn ?? '',
      externalId: form.ExternalId ?? '',
      until: now() + lifetimeSeconds * 1_000,
    };
    sessions.set(id, session);
    response.end(describeSession(id, session));
  };

  const verify: AwsAccount['verify'] = (request, body) => {
    const signature = verifyAwsSignature(toReceived(request, body), (id) => sessions.get(id)?.secret);
    const session = sessions.get(signature?.accessKeyId ?? '');
    if (!signature || !session || session.until <= now()) return undefined;
    return request.headers['x-amz-security-token'] === session.token ? { ...signature, session } : undefined;
  };
  return { answerSts, verify, assumed };
}

const toReceived = ({ method = '', url = '', headers }: IncomingMessage, body: string) => ({
  method,
  target: url,
  headers,
  body,
});

const describeSession = (id: string, { secret, token, until }: RoleSession) =>
  `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleResult>
    <AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/search/s</Arn></AssumedRoleUser>
    <Credentials>
      <AccessKeyId>${id}</AccessKeyId>
      <SecretAccessKey>${secret}</SecretAccessKey>
      <SessionToken>${token}</SessionToken>
      <Expiration>${new Date(until).toISOString()}</Expiration>
    </Credentials>
  </AssumeRoleResult>
</AssumeRoleResponse>`;

function refuse(response: ServerResponse, code: string): void {
  response.writeHead(403);
  response.end(
    `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>User: arn:aws:sts::999:assumed-role/fn is not authorized</Message></Error></ErrorResponse>`,
  );
}
