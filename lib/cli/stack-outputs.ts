// The state of a tenant's stack, and its outputs, which name its tables, keys and functions; and the credentials of the
// operator.
import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { clientConfig } from '#lib/aws.ts';
import type { SigningKeys } from '#lib/aws-signer.ts';
import { tenantStackName } from '#lib/infra/stack-names.ts';

/** Needs cloudformation:DescribeStacks in the region of the stack. */
export async function readStackOutputs(tenantId: string): Promise<Readonly<Record<string, string>>> {
  const stacks = await describeStacks(tenantStackName(tenantId));
  const outputs = stacks.flatMap(({ Outputs = [] }) => Outputs);
  return Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
}

/** The region and the credentials of the environment, found as the AWS CLI finds them. */
export async function readOperatorCredentials(): Promise<SigningKeys & { readonly region: string }> {
  const { config } = new CloudFormationClient(clientConfig);
  const [keys, region] = await Promise.all([config.credentials(), config.region()]);
  const { accessKeyId, secretAccessKey, sessionToken } = keys;
  return { accessKeyId, secretAccessKey, sessionToken, region };
}

/** The states of a stack whose creation has not succeeded: CloudFormation deletes it before the next attempt. */
const neverCreated = /^(REVIEW_IN_PROGRESS|CREATE_FAILED|ROLLBACK_(IN_PROGRESS|FAILED|COMPLETE)|DELETE_\w+)$/;

/** Whether the stack was ever deployed. Needs cloudformation:DescribeStacks as well. */
export async function isDeployed(stackName: string): Promise<boolean> {
  const stacks = await describeStacks(stackName).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return stacks.some(({ StackStatus = '' }) => !neverCreated.test(StackStatus));
}

/** CloudFormation has no code of its own for it. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ValidationError' && error.message.endsWith('does not exist');

async function describeStacks(stackName: string): Promise<readonly Stack[]> {
  const cloudFormation = new CloudFormationClient(clientConfig);
  const command = new DescribeStacksCommand({ StackName: stackName });
  const { Stacks = [] } = await cloudFormation.send(command);
  return Stacks;
}
