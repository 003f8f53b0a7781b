// The environment variables of the functions. They share one process here, so they must agree on every value.
import { devNull } from 'node:os';
import { region } from './account.ts';

export type Environment = Readonly<Record<string, string>>;
export type Endpoints = { readonly dynamodb: string; readonly sqs: string; readonly kms: string };
type Owner = { readonly logicalId: string; readonly environment: Environment };

/** Of a developer's own AWS setup nothing may reach the functions: a profile would win over the credentials below. */
const foreign = [
  'AWS_PROFILE',
  'AWS_DEFAULT_PROFILE',
  'AWS_SESSION_TOKEN',
  'AWS_CREDENTIAL_EXPIRATION',
  'AWS_ENDPOINT_URL',
  'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
  'AWS_ROLE_ARN',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
];

/** `extra` comes from the person who starts the host and wins over the template. */
export function functionEnvironment(
  owners: readonly Owner[],
  endpoints: Endpoints,
  extra: Environment,
): Environment {
  return { ...merge(owners), ...awsEnvironment(endpoints), ...extra };
}

/** Puts the variables into this process; the returned function puts back what was there. */
export function enter(environment: Environment): () => void {
  const names = [...foreign, ...Object.keys(environment)];
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of foreign) delete process.env[name];
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
    `Functions ${other} and ${one} want different values for the variable ${name}. Locally all functions share one process: give the variable the same value everywhere, or two names.`,
  );
}

function awsEnvironment(endpoints: Endpoints): Environment {
  return {
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_KMS: endpoints.kms,
    AWS_LAMBDA_FUNCTION_NAME: 'local',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  };
}
