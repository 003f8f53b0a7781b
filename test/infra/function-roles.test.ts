// The roles that functions share: what each may do, which functions have it, and what a function may do with it that it
// does not need. A change of `function-roles.txt` is a change to look at.
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Use } from '#lib/http/route.ts';
import {
  membersOf,
  roleMembers,
  type SharedRoleName,
  settingsOnly,
  sharedRoleOf,
  sharedRoles,
} from '#lib/infra/function-roles.ts';
import { withoutImplied } from '#lib/infra/implied-statements.ts';
import type { Template } from '#lib/infra/template.ts';
import { at, deployedTemplate, fullTenant, named, ofType, tenantLike } from './demo-app.ts';

const list = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());
const role = z.looseObject({
  AssumeRolePolicyDocument: z.unknown(),
  Policies: z.tuple([
    z.looseObject({
      PolicyDocument: z.looseObject({
        Statement: z.array(
          z.strictObject({
            Effect: z.literal('Allow'),
            Action: list,
            Resource: z.unknown().transform((value) => [value].flat().map(named)),
            Condition: z.unknown().optional(),
          }),
        ),
      }),
    }),
  ]),
});

const full = fullTenant();
const shared = deployedTemplate(full);
const own = deployedTemplate({ ...full, functionRoles: 'own' });
const names = z.array(z.custom<SharedRoleName>()).parse(Object.keys(sharedRoles));

/** Each action on each resource under each condition, as one line. */
function permissionsOf(template: Template, roleId: string): string[] {
  const { Policies } = role.parse(template.Resources[roleId]?.Properties);
  return Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement).flatMap(
    ({ Action, Resource, Condition }) =>
      Action.flatMap((action) =>
        Resource.flatMap((resource) =>
          eachKey(Condition).map((condition) => `${action} ${resource}${condition && ` if ${condition}`}`),
        ),
      ),
  );
}

/** A condition on several patterns of keys, as one condition for each of them. */
function eachKey(condition: unknown): string[] {
  if (condition === undefined) return [''];
  const keys = at(condition, 'ForAllValues:StringLike.dynamodb:LeadingKeys');
  if (!Array.isArray(keys)) return [JSON.stringify(condition)];
  const attributes = at(condition, 'ForAllValues:StringEquals.dynamodb:Attributes');
  expect(at(condition, 'Null.dynamodb:LeadingKeys')).toBe('false');
  return keys.map((key) => `${key}${attributes ? ` only ${attributes}` : ''}`);
}

/** Whether one of the permissions allows what another does: without its condition, or for all attributes. */
function isCovered(wanted: string, given: readonly string[]): boolean {
  const [permission = '', condition = ''] = wanted.split(' if ');
  const [key = ''] = condition.split(' only ');
  const keys = [...key].map((_, length) => `${key.slice(0, length)}*`);
  return [wanted, permission, ...[key, ...keys].map((each) => `${permission} if ${each}`)].some((each) =>
    given.includes(each),
  );
}

const functionsOf = (template: Template) =>
  ofType(template, 'AWS::Lambda::Function').map(([id, properties]) => ({
    name: named({ Ref: id }),
    roleId: String(at(properties, 'Role.Fn::GetAtt.0')),
  }));
const idOf = (name: SharedRoleName) =>
  ofType(shared, 'AWS::IAM::Role').find(([id]) => named({ Ref: id }) === `${name}Role`)?.[0] ?? '';
const isLog = (permission: string) => permission.startsWith('logs:');
const needs = (uses: readonly Use[]) => uses.filter((use) => !settingsOnly.has(use));

describe('a tenant', () => {
  it('takes at most 12 roles, so that an account has room for 80 tenants', () => {
    expect(ofType(shared, 'AWS::IAM::Role').length).toBeLessThanOrEqual(12);
  });

  it('may give each function a role of its own', () => {
    expect(ofType(own, 'AWS::IAM::Role')).toHaveLength(functionsOf(own).length + 1);
    for (const { name, roleId } of functionsOf(own)) expect(named({ Ref: roleId })).toBe(`${name}Role`);
  });
});

describe('every function', () => {
  it.each(functionsOf(shared))('$name has a role with all that it needs', ({ name, roleId }) => {
    const needed = permissionsOf(own, functionsOf(own).find((each) => each.name === name)?.roleId ?? '');
    const given = permissionsOf(shared, roleId);
    expect(needed.filter((each) => !isLog(each) && !isCovered(each, given))).toEqual([]);
  });

  it.each(roleMembers)('$id has the role of the table, and its log is among those of the role', (member) => {
    const { roleId = '' } = functionsOf(shared).find(({ name }) => name === member.id) ?? {};
    expect(named({ Ref: roleId })).toBe(`${sharedRoleOf(member)}Role`);
    const logs = permissionsOf(shared, roleId).filter(isLog);
    expect(logs.filter((each) => each.endsWith(`:log-group:/agent-flow/full/${member.id}/*`))).toHaveLength(
      2,
    );
  });

  it('has one of these roles, but for the one that records the audit trail, whose role nothing else has', () => {
    const others = functionsOf(shared).filter(({ name }) => roleMembers.every(({ id }) => id !== name));
    expect(others.map(({ name, roleId }) => [name, named({ Ref: roleId })])).toEqual([
      ['RecordAudit', 'RecordAuditRole'],
    ]);
  });

  it('that uses what no role has together is refused, with what to do', () => {
    const uses = ['models.call', 'keys.create'] as const;
    expect(() => sharedRoleOf({ id: 'Powerful', uses })).toThrow(
      'Powerful: no role of lib/infra/function-roles.ts has all of models.call, keys.create.',
    );
  });
});

describe('a role', () => {
  it.each(names)('%s grants nothing that none of its functions uses', (name) => {
    const used = new Set(membersOf(name).flatMap(({ uses }) => uses));
    expect(sharedRoles[name].uses.filter((use) => !used.has(use))).toEqual([]);
    const needed = membersOf(name).flatMap(({ id }) =>
      permissionsOf(own, functionsOf(own).find((each) => each.name === id)?.roleId ?? ''),
    );
    const extra = permissionsOf(shared, idOf(name)).filter((each) => !isLog(each) && !needed.includes(each));
    expect(extra).toEqual([]);
  });

  it.each(names)('%s can be assumed by Lambda only', (name) => {
    const trust = role.parse(shared.Resources[idOf(name)]?.Properties).AssumeRolePolicyDocument;
    expect(at(trust, 'Statement')).toEqual([
      { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
    ]);
  });

  it('has what it may do, for which functions, and what each does not need, in function-roles.txt', async () => {
    const text = names.map((name) => {
      const permissions = permissionsOf(shared, idOf(name)).filter((each) => !isLog(each));
      const members = membersOf(name).map((member) => `  ${member.id}${beyond(name, member.uses)}`);
      return [`${name}: ${sharedRoles[name].purpose}`, ...members, ...permissions.sort()].join('\n');
    });
    await expect(`${text.join('\n\n')}\n`).toMatchFileSnapshot('function-roles.txt');
  });

  const beyond = (name: SharedRoleName, uses: readonly Use[]) => {
    const more = sharedRoles[name].uses.filter((use) => !uses.includes(use));
    return more.length > 0 ? ` does not need ${more.join(', ')}` : '';
  };
});

describe('a policy without what is implied', () => {
  const onKeys = (keys: string[], more = {}) => ({
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
    Null: { 'dynamodb:LeadingKeys': 'false' },
    ...more,
  });
  const read = new PolicyStatement({ actions: ['s3:Get', 's3:Query'], resources: ['table'] });
  const write = new PolicyStatement({
    actions: ['s3:Put'],
    resources: ['table'],
    conditions: onKeys(['A#*', 'B#*']),
  });
  const only = (actions: string[], resources: string[], conditions = {}) =>
    new PolicyStatement({ actions, resources, conditions });
  const shortened = (statement: PolicyStatement) => withoutImplied([read, write, statement]);

  it.each([
    ['an action that is allowed without a condition', only(['s3:Get'], ['table'], onKeys(['A#*']))],
    ['a write of items that may be written', only(['s3:Put'], ['table'], onKeys(['B#*']))],
    ['a write of fewer items', only(['s3:Put'], ['table'], onKeys(['A#RUNS#*']))],
    [
      'a write of some of the attributes',
      only(['s3:Put'], ['table'], onKeys(['A#*'], { 'ForAllValues:StringEquals': {} })),
    ],
    ['the same again', only(['s3:Put'], ['table'], onKeys(['A#*', 'B#*']))],
  ])('leaves out %s', (_, statement) => {
    expect(shortened(statement)).toHaveLength(2);
  });

  it.each([
    ['another action', only(['s3:Delete'], ['table'], onKeys(['A#*']))],
    ['another resource', only(['s3:Get'], ['index'])],
    ['items of which not all may be written', only(['s3:Put'], ['table'], onKeys(['A#*', 'C#*']))],
    ['an action without the condition', only(['s3:Put'], ['table'])],
    ['another kind of condition', only(['s3:Put'], ['table'], { StringEquals: { key: 'value' } })],
  ])('keeps %s', (_, statement) => {
    expect(shortened(statement).at(-1)?.toJSON()).toEqual(statement.toJSON());
  });

  it('keeps the rest of a statement, and one of two equal ones', () => {
    const rest = shortened(only(['s3:Get', 's3:Scan'], ['table'], onKeys(['A#*']))).at(-1);
    expect(rest?.actions).toEqual(['s3:Scan']);
    expect(withoutImplied([read, read])).toHaveLength(1);
  });
});

describe('what is dangerous', () => {
  const holders = (use: Use) => names.filter((name) => sharedRoles[name].uses.some((each) => each === use));

  it.each<readonly [Use, readonly SharedRoleName[]]>([
    ['signingKey.sign', ['Credentials']],
    ['migrations.run', ['Author']],
    ['registry.write', ['Author']],
    ['cardSignatures.write', ['Credentials']],
    ['keys.create', ['Credentials']],
    ['keys.revoke', ['Credentials']],
    ['authorizations.write', ['Credentials']],
    ['members.write', ['Access']],
    ['sessions.write', ['Access']],
    ['signingSecrets.write', ['Settings']],
    ['signingSecrets.read', ['Deliverer']],
    ['files.delete', ['Settings']],
    ['models.call', ['Runner']],
    ['roles.assume', ['Deliverer', 'Runner']],
    ['runQueue.park', ['Deliverer', 'Runner']],
    ['audit.write', []],
  ])('%s is granted to %j alone', (use, expected) => {
    expect(holders(use)).toEqual(expected);
  });

  it('is nothing that one role can join: no role deletes files and reads them, or runs flows and signs', () => {
    const all = names.map((name) => needs(sharedRoles[name].uses));
    const both = (a: Use, b: Use) => all.filter((uses) => uses.includes(a) && uses.includes(b));
    expect(both('files.delete', 'files.read')).toEqual([]);
    expect(both('models.call', 'signingKey.sign')).toEqual([]);
    expect(both('runs.write', 'signingKey.sign')).toEqual([]);
    expect(both('registry.write', 'signingKey.sign')).toEqual([]);
    expect(both('keys.create', 'registry.write')).toEqual([]);
  });

  it('is out of reach for code of flows: its role writes logs and traces, and no log of which audit records are taken', () => {
    const permissions = permissionsOf(shared, idOf('Static'));
    expect(permissions.filter((each) => !/^(logs|xray):/.test(each))).toEqual([]);
    expect(membersOf('Static').map(({ id }) => id)).toContain('EvaluateCode');
    const audited = ofType(shared, 'AWS::Logs::SubscriptionFilter').map(([, { LogGroupName }]) =>
      named(LogGroupName).replace(/Logs$/, ''),
    );
    expect(audited.length).toBeGreaterThan(50);
    expect(membersOf('Static').filter(({ id }) => audited.includes(id))).toEqual([]);
  });
});

describe('the logs that a role may write', () => {
  const groups = ofType(shared, 'AWS::Logs::LogGroup').map(([, { LogGroupName }]) => LogGroupName);

  it('have names of the tenant and of one function, which do not depend on how CloudFormation invents names', () => {
    const writers = groups.map((name) => {
      const [before, suffix, ...rest] = [at(name, 'Fn::Join.1')].flat();
      expect(JSON.stringify(suffix)).toMatch(/"Fn::Select":.*"AWS::StackId"/);
      expect(rest).toEqual([]);
      return String(before);
    });
    const others = ['Gateway', 'RecordAudit'];
    const expected = [...roleMembers.map(({ id }) => id), ...others].map((id) => `/agent-flow/full/${id}/`);
    expect(writers.sort()).toEqual(expected.sort());
  });
});

it('what needs no permission is known as such, and nothing else', () => {
  const models = { one: { provider: 'bedrock', model: 'amazon.nova-lite-v1:0' } } as const;
  const made = deployedTemplate(tenantLike({ ...full, models, modelDefault: 'one', functionRoles: 'own' }));
  for (const { id, uses } of roleMembers) {
    const { roleId = '' } = functionsOf(made).find(({ name }) => name === id) ?? {};
    const permissions = permissionsOf(made, roleId).filter(
      (each) => !/^(logs|xray|sqs:\w*(Receive|Get|Change|Delete))/.test(each),
    );
    expect(permissions.length > 0, id).toBe(needs(uses).length > 0);
  }
});
