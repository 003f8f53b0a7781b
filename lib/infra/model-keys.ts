// Where the API keys of a tenant's models come from on AWS: secrets that an operator has stored, never this repository.
import { SecretValue } from 'aws-cdk-lib/core';
import type { Tenant } from './tenant.ts';

/** CloudFormation puts the secret `agent-flow/{tenant}/{api_key_ref}` into the variable at deploy, so a new key needs a deploy. */
export function modelKeys({ id, models }: Tenant): Record<string, string> {
  const names = Object.values(models).flatMap((model) =>
    model.provider === 'openai-compatible' && model.api_key_ref !== undefined ? [model.api_key_ref] : [],
  );
  return Object.fromEntries(
    names.map((name) => [name, SecretValue.secretsManager(`agent-flow/${id}/${name}`).unsafeUnwrap()]),
  );
}
