// The Bedrock resources that a function may call: exactly those of the tenant's models, and their guardrails.
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Aws } from 'aws-cdk-lib/core';
import { routedModel } from './inference-profiles.ts';
import type { Tenant } from './tenant.ts';

const actions = ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'];

export function bedrockStatements(models: Tenant['models']): PolicyStatement[] {
  return Object.values(models).flatMap((model) => {
    if (model.provider !== 'bedrock') return [];
    const region = model.region ?? Aws.REGION;
    const guardrail = model.guardrail ? [guardrailStatement(model.guardrail.id, region)] : [];
    return [...statementsFor(model.model, region), ...guardrail];
  });
}

/** An id is one of this account; an ARN may be that of another one. */
function guardrailStatement(id: string, region: string): PolicyStatement {
  const arn = id.startsWith('arn:')
    ? id
    : `arn:${Aws.PARTITION}:bedrock:${region}:${Aws.ACCOUNT_ID}:guardrail/${id}`;
  return new PolicyStatement({ actions: ['bedrock:ApplyGuardrail'], resources: [arn] });
}

/** The models behind the inference profiles that a tenant uses. */
export function profileModels(models: Tenant['models']): string[] {
  return Object.values(models).flatMap((model) =>
    model.provider === 'bedrock' ? (routedModel(model.model) ?? []) : [],
  );
}

function statementsFor(id: string, region: string): PolicyStatement[] {
  const routed = routedModel(id);
  if (routed === undefined) {
    return [
      new PolicyStatement({
        actions,
        resources: [`arn:${Aws.PARTITION}:bedrock:${region}::foundation-model/${id}`],
      }),
    ];
  }
  const profile = `arn:${Aws.PARTITION}:bedrock:${region}:${Aws.ACCOUNT_ID}:inference-profile/${id}`;
  return [
    new PolicyStatement({ actions, resources: [profile] }),
    new PolicyStatement({
      actions,
      resources: [`arn:${Aws.PARTITION}:bedrock:*::foundation-model/${routed}`],
      conditions: { StringEquals: { 'bedrock:InferenceProfileArn': profile } },
    }),
  ];
}
