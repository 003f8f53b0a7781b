// Roles of AWS for tests of runs: what trusts the service, and what has arrived under each.
import { unique } from './caller.ts';
import { type RoleRecord, roleRecord, type ScriptedRole } from './scripted-aws.ts';
import { testedService } from './tested-service.ts';

/** The AWS that the service under test reaches. */
function awsUrl(): string {
  const { awsUrl } = testedService();
  if (!awsUrl) throw new Error('This test needs the local host: run it without BASE_URL.');
  return awsUrl;
}

/** Where the services of AWS are. */
export const awsHost = (): string => new URL(awsUrl()).host;

export const newRoleArn = (): string => `arn:aws:iam::123456789012:role/agent-flow/${unique('search')}`;

/** Sets the trust policy of the role, and the knowledge bases that it may search. */
export async function setRole(role: ScriptedRole): Promise<void> {
  const response = await fetch(`${awsUrl()}/roles`, { method: 'PUT', body: JSON.stringify(role) });
  if (!response.ok) throw new Error(await response.text());
}

export const readRole = async (arn: string): Promise<RoleRecord> =>
  roleRecord.parse(await (await fetch(`${awsUrl()}/roles?arn=${encodeURIComponent(arn)}`)).json());
