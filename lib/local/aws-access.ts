// The AWS credentials of the developer, for models of Bedrock. They are read before the functions get the credentials of
// the engines, and stay in this process.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Secret, secret } from '#lib/secret.ts';

export type AwsCredential =
  | { readonly bearer: Secret }
  | {
      readonly accessKeyId: string;
      readonly secretAccessKey: Secret;
      readonly sessionToken?: string | undefined;
    };

export interface AwsAccess {
  /** The variable that gives it. */
  readonly variable: string;
  readonly region: string;
  /** Those of a profile may expire, and are read again then. */
  readonly readCredential: () => Promise<AwsCredential>;
}

/** Undefined without credentials, without a region, and with the variables of a running local service. */
export function findAwsAccess(env: Readonly<Record<string, string | undefined>>): AwsAccess | undefined {
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION;
  if (!region || env.AWS_ENDPOINT_URL_DYNAMODB) return undefined;
  const { AWS_BEARER_TOKEN_BEDROCK: bearer, AWS_ACCESS_KEY_ID: accessKeyId, AWS_PROFILE: profile } = env;
  if (bearer) {
    const credential = { bearer: secret(bearer) };
    return { variable: 'AWS_BEARER_TOKEN_BEDROCK', region, readCredential: async () => credential };
  }
  if (accessKeyId && env.AWS_SECRET_ACCESS_KEY) {
    const secretAccessKey = secret(env.AWS_SECRET_ACCESS_KEY);
    const sessionToken = env.AWS_SESSION_TOKEN || undefined;
    const credential = { accessKeyId, secretAccessKey, sessionToken };
    return { variable: 'AWS_ACCESS_KEY_ID', region, readCredential: async () => credential };
  }
  return profile
    ? { variable: 'AWS_PROFILE', region, readCredential: profileReader(profile, env) }
    : undefined;
}

/** With the files of the developer, because the functions have none. */
function profileReader(profile: string, env: Readonly<Record<string, string | undefined>>) {
  const filepath = env.AWS_SHARED_CREDENTIALS_FILE || join(homedir(), '.aws', 'credentials');
  const configFilepath = env.AWS_CONFIG_FILE || join(homedir(), '.aws', 'config');
  let known: AwsCredential | undefined;
  let expiresAt = 0;
  return async (): Promise<AwsCredential> => {
    if (known && Date.now() < expiresAt) return known;
    const { fromIni } = await import('@aws-sdk/credential-provider-ini');
    const keys = await fromIni({ profile, filepath, configFilepath, ignoreCache: true })();
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = keys;
    expiresAt = (expiration?.getTime() ?? Number.POSITIVE_INFINITY) - earlyMs;
    known = { accessKeyId, secretAccessKey: secret(secretAccessKey), sessionToken };
    return known;
  };
}

/** A request may take a while to arrive. */
const earlyMs = 60_000;
