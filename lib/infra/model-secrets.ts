// The keys of the tenant's models, which operators store in Secrets Manager. Functions read them at run time, so that a
// changed key takes effect without a deployment (docs/decisions/0068-keys-of-models.md).
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Aws } from 'aws-cdk-lib/core';
import { allow } from './statements.ts';
import type { Tenant } from './tenant.ts';

export interface ModelSecrets {
  /** The secret of a key is this and the `api_key_ref` of its model. */
  readonly prefix: string;
  /** Each `api_key_ref` once. */
  readonly refs: readonly string[];
}

/** Undefined if no model has a key. */
export function modelSecrets({ id, models }: Tenant): ModelSecrets | undefined {
  const refs = Object.values(models).flatMap((model) =>
    model.provider === 'openai-compatible' && model.api_key_ref !== undefined ? [model.api_key_ref] : [],
  );
  return refs.length > 0 ? { prefix: `agent-flow/${id}/`, refs: [...new Set(refs)] } : undefined;
}

export function readModelSecrets(secrets: ModelSecrets | undefined): PolicyStatement[] {
  if (!secrets) return [];
  const arns = secrets.refs.map((ref) => toArn(`${secrets.prefix}${ref}`));
  return [allow(['secretsmanager:GetSecretValue'], arns)];
}

/** Secrets Manager adds a hyphen and six characters to the name of a secret. */
const toArn = (name: string): string =>
  `arn:${Aws.PARTITION}:secretsmanager:${Aws.REGION}:${Aws.ACCOUNT_ID}:secret:${name}-??????`;
