// The outputs of a deployed tenant's stack, which name its tables and keys.
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { clientConfig } from '#lib/aws.ts';

/** Needs cloudformation:DescribeStacks in the region of the stack. */
export async function readStackOutputs(tenantId: string): Promise<Readonly<Record<string, string>>> {
  const cloudFormation = new CloudFormationClient(clientConfig);
  const { Stacks = [] } = await cloudFormation.send(
    new DescribeStacksCommand({ StackName: `AgentFlow-${tenantId}` }),
  );
  const outputs = Stacks.flatMap(({ Outputs = [] }) => Outputs);
  return Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
}
