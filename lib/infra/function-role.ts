// Creates the roles of functions: shared ones by the table in `function-roles.ts`, or one with exactly the permissions
// of a function's uses.
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { membersOf, type RoleMember, sharedRoleOf, sharedRoles } from './function-roles.ts';
import { withoutImplied } from './implied-statements.ts';
import { logGroupsOf } from './log-group.ts';
import { type Grant, grants, type Resources } from './resources.ts';
import { allow, receiveFrom } from './statements.ts';

interface Needs extends Pick<RoleMember, 'id' | 'uses'> {
  /** Permissions for an event source, and for a failure destination. */
  readonly extraStatements?: readonly PolicyStatement[];
}

export function ownRole(
  scope: Construct,
  { id, extraStatements = [] }: Needs,
  logGroup: LogGroup,
  granted: readonly Grant[],
): Role {
  const statements = [...extraStatements, ...granted.flatMap((grant) => grant.statements)];
  return newRole(scope, `${id}Role`, [logGroup.logGroupArn], statements);
}

/** The role is created with the first of its functions. */
export function sharedRole(scope: Construct, needs: Needs, resources: Resources): Role {
  const name = sharedRoleOf(needs);
  const existing = scope.node.tryFindChild(`${name}Role`);
  if (existing instanceof Role) return existing;
  const members = membersOf(name);
  const logs = members.map((member) => logGroupsOf(resources.tenant.id, member.id));
  const { uses, purpose } = sharedRoles[name];
  const statements = [
    ...members.flatMap(({ queue }) => (queue ? receiveFrom(resources[queue]) : [])),
    ...uses.flatMap((use) => grants[use](resources).statements),
  ];
  return newRole(scope, `${name}Role`, logs, withoutImplied(statements), purpose);
}

function newRole(
  scope: Construct,
  id: string,
  logs: string[],
  statements: readonly PolicyStatement[],
  description?: string,
): Role {
  return new Role(scope, id, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    ...(description && { description }),
    inlinePolicies: {
      uses: new PolicyDocument({ statements: [logStatement(logs), traceStatement(), ...statements] }),
    },
  });
}

/** Replaces the managed policy, which allows writing to all log groups of the account. */
const logStatement = (logs: string[]): PolicyStatement =>
  allow(['logs:CreateLogStream', 'logs:PutLogEvents'], logs);

/** The actions of X-Ray have no resource-level permissions. */
const traceStatement = (): PolicyStatement =>
  new PolicyStatement({
    actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
    resources: ['*'],
  });
