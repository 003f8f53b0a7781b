// The environment variables of the functions. All functions share this process, so they must agree on every
// value.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { region } from './account.ts';
import { shellWord } from './shell-word.ts';

export type Environment = Readonly<Record<string, string>>;
export type Endpoints = {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly kms: string;
  readonly s3: string;
};
/** Those of the engines, which hosts can share, and that of the host itself. */
export type AllEndpoints = Endpoints & { readonly lambda: string };
type Owner = { readonly logicalId: string; readonly environment: Environment };

/** Of the functions; of the engines, only S3 checks signatures. */
export const secretAccessKey = 'local';

/**
 * Variables of the developer's own AWS setup, which must not reach the functions: a profile would take
 * precedence over the credentials below.
 */
const developerVariables = [
  'AWS_PROFILE',
  'AWS_DEFAULT_PROFILE',
  'AWS_SESSION_TOKEN',
  'AWS_CREDENTIAL_EXPIRATION',
  'AWS_ENDPOINT_URL',
  'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
  'AWS_ROLE_ARN',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
];

/** `extra` comes from whoever starts the host and overrides the template. */
export function functionEnvironment(
  owners: readonly Owner[],
  endpoints: AllEndpoints,
  extra: Environment,
): Environment {
  return { ...merge(owners), ...awsEnvironment(endpoints), ...extra };
}

/** Sets the variables in this process; the returned function restores the previous values. */
export function enter(environment: Environment): () => void {
  const names = [...developerVariables, ...Object.keys(environment)];
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of developerVariables) delete process.env[name];
  Object.assign(process.env, environment);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

function merge(owners: readonly Owner[]): Environment {
  const merged = new Map<string, { value: string; logicalId: string }>();
  for (const { logicalId, environment } of owners) {
    for (const [name, value] of Object.entries(environment)) {
      const other = merged.get(name);
      if (other && other.value !== value) throw conflict(name, logicalId, other.logicalId);
      if (!other) merged.set(name, { value, logicalId });
    }
  }
  return Object.fromEntries([...merged].map(([name, { value }]) => [name, value]));
}

function conflict(name: string, one: string, other: string): Error {
  return new Error(
    `Functions ${other} and ${one} have different values for the variable ${name}. Locally all functions share ` +
      'one process: give the variable the same value everywhere, or use two names.',
  );
}

function awsEnvironment(endpoints: AllEndpoints): Environment {
  return {
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_KMS: endpoints.kms,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_LAMBDA: endpoints.lambda,
    AWS_LAMBDA_FUNCTION_NAME: 'local',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  };
}

/**
 * Writes a file that a shell can source, so that the AWS CLI uses the engines that run now. Returns a
 * function that deletes the file, since the ports in it are only valid for this start.
 */
export function writeAwsEnv(dataDir: string, environment: Environment): () => void {
  const file = join(dataDir, 'aws.env');
  const own = Object.entries(environment).filter(([name]) => /^AWS_(?!LAMBDA_)/.test(name));
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, own.map(([name, value]) => `export ${name}=${shellWord(value)}\n`).join(''));
  return () => rmSync(file, { force: true });
}
