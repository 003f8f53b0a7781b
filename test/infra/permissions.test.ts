// What each function needs and knows, as a table in `permissions.txt`: a change of it is a change to look at, not an
// accident. Each has a role of its own here; what those may do that functions share is in `function-roles.test.ts`.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { at, deployedTemplate, named, ofType, tenantLike } from './demo-app.ts';

const list = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());
const statement = z.strictObject({
  Effect: z.literal('Allow'),
  Action: list,
  Resource: z.unknown().transform((value) => [value].flat().map(named)),
  Condition: z.unknown().optional(),
});
const role = z.looseObject({
  Policies: z.array(z.looseObject({ PolicyDocument: z.looseObject({ Statement: z.array(statement) }) })),
});

const template = deployedTemplate(tenantLike({ functionRoles: 'own' }));
const roles = new Map(ofType(template, 'AWS::IAM::Role'));
const functions = ofType(template, 'AWS::Lambda::Function').map(([id, properties]) => ({
  id,
  entry: String(template.Resources[id]?.Metadata?.['agentflow:entry']),
  variables: Object.entries(Object(at(properties, 'Environment.Variables'))),
  statements: readStatements(roles.get(String(at(properties, 'Role.Fn::GetAtt.0')))),
}));

function readStatements(properties: unknown) {
  return role.parse(properties).Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

const customerRoles = 'arn:AWS::Partition:iam::*:role/agent-flow/*';
const dynamoWrite = /^dynamodb:(?!Get|BatchGet|Query|Scan|ConditionCheck)/;

describe('permissions', () => {
  it('and variables of each function are those in permissions.txt', async () => {
    const text = functions
      .toSorted((a, b) => a.entry.localeCompare(b.entry))
      .map(({ entry, statements, variables }) => [
        entry,
        ...statements.flatMap(({ Action, Resource, Condition }) =>
          Resource.map(
            (resource) =>
              `  ${resource}: ${Action.join(' ')}${Condition ? ` if ${JSON.stringify(Condition)}` : ''}`,
          ),
        ),
        ...variables.map(([name, value]) => `  ${name}=${named(value)}`).sort(),
      ]);
    await expect(`${text.map((lines) => lines.join('\n')).join('\n\n')}\n`).toMatchFileSnapshot(
      'permissions.txt',
    );
  });

  it.each(functions)('of $id have no wildcard in actions', ({ statements }) => {
    expect(
      statements.flatMap(({ Action }) => Action).filter((action) => !/^[a-z\d]+:[A-Za-z]+$/.test(action)),
    ).toEqual([]);
  });

  /** Keys of objects have the ids of files, which are created at run time. */
  const objects = 'FilesBucket/*';
  const ofObjects = (statements: (typeof functions)[number]['statements']) =>
    statements.filter(({ Resource }) => Resource.includes(objects)).flatMap(({ Action }) => Action);

  it.each(functions)(
    'of $id name every resource, except for X-Ray, which has none, and the roles of customers',
    ({ statements }) => {
      const open = statements
        .filter(({ Resource }) => Resource.some((resource) => resource.includes('*') && resource !== objects))
        .filter(({ Resource }) => !Resource.every((resource) => resource === customerRoles));
      expect(open.flatMap(({ Action }) => Action)).toEqual([
        'xray:PutTelemetryRecords',
        'xray:PutTraceSegments',
      ]);
    },
  );

  it('let only the functions that run flows, export them, and try connections and sinks assume roles, and only those under the path of such roles', () => {
    const assuming = functions.flatMap(({ entry, statements }) =>
      statements
        .filter(({ Action }) => Action.some((action) => action.startsWith('sts:')))
        .map(({ Action, Resource }) => ({ entry, Action, Resource })),
    );
    expect(assuming.map(({ entry }) => entry).sort()).toEqual([
      'functions/a2a/call-agent.ts',
      'functions/a2a/call-live.ts',
      'functions/a2a/call-test.ts',
      'functions/callback/deliver.ts',
      'functions/connection/try.ts',
      'functions/environment/try-telemetry.ts',
      'functions/run/run-queued.ts',
      'functions/trigger/run.ts',
    ]);
    for (const { Action, Resource } of assuming) {
      expect(Action).toEqual(['sts:AssumeRole', 'sts:TagSession']);
      expect(Resource).toEqual([customerRoles]);
    }
  });

  it.each(functions)('of $id to objects allow to put, get and delete them, and no more', ({ statements }) => {
    const known = ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'];
    expect(ofObjects(statements).filter((action) => !known.includes(action))).toEqual([]);
  });

  it('let only the function that deletes a file delete objects, which it cannot read', () => {
    const deleting = functions.map(({ statements }) => ofObjects(statements));
    expect(deleting.filter((actions) => actions.includes('s3:DeleteObject'))).toEqual([['s3:DeleteObject']]);
  });

  it('are all in the role itself, so that no other policy can extend them', () => {
    for (const type of ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'])
      expect(ofType(template, type)).toEqual([]);
    for (const [, properties] of roles) expect(properties.ManagedPolicyArns).toBeUndefined();
  });

  it('let only two functions, besides SQS itself, send to the queue of dead letters', () => {
    const senders = functions.filter(({ statements }) =>
      statements.some(
        ({ Action, Resource }) =>
          Resource.includes('RunDeadLetterQueue') && Action.includes('sqs:SendMessage'),
      ),
    );
    expect(senders.map(({ entry }) => entry)).toEqual([
      'functions/run/run-queued.ts',
      'functions/callback/deliver.ts',
    ]);
  });

  it('restrict every write to a table to leading keys, and refuse a request without a key', () => {
    const writing = functions.flatMap(({ entry, statements }) =>
      statements
        .filter(({ Action }) => Action.some((action) => dynamoWrite.test(action)))
        .map(({ Condition }) => ({ entry, Condition })),
    );
    expect(writing.length).toBeGreaterThan(50);
    for (const { entry, Condition } of writing) {
      expect(Condition, entry).toMatchObject({ Null: { 'dynamodb:LeadingKeys': 'false' } });
      const names = [at(Condition, 'ForAllValues:StringLike.dynamodb:LeadingKeys')].flat();
      expect(
        names.filter((name) => !/^[A-Z]+#\*$/.test(String(name))),
        entry,
      ).toEqual([]);
    }
  });

  it('let only the function that migrates read the items of all organisations', () => {
    const scanning = functions.filter(({ statements }) =>
      statements.some(({ Action }) => Action.includes('dynamodb:Scan')),
    );
    expect(scanning.map(({ entry }) => entry)).toEqual(['functions/migration/migrate.ts']);
  });

  it('let only the functions of API keys write API keys', () => {
    const mayWrite = functions.filter(({ statements }) =>
      statements.some(({ Action, Condition }) => {
        const names = [at(Condition, 'ForAllValues:StringLike.dynamodb:LeadingKeys')].flat();
        const isBound = at(Condition, 'ForAllValues:StringEquals.dynamodb:Attributes') !== undefined;
        return Action.some((action) => dynamoWrite.test(action)) && names.includes('KEY#*') && !isBound;
      }),
    );
    expect(mayWrite.map(({ entry }) => entry).sort()).toEqual([
      'functions/api-key/create.ts',
      'functions/api-key/revoke.ts',
    ]);
  });

  it('let only the recording function write audit items', () => {
    const patterns = z.object({
      'ForAllValues:StringLike': z.object({ 'dynamodb:LeadingKeys': z.array(z.string()).min(1) }),
    });
    const mayWrite = functions.filter(({ statements }) =>
      statements
        .filter(
          ({ Action, Resource }) =>
            Action.some((action) => dynamoWrite.test(action)) && Resource.includes('RunsTable'),
        )
        .flatMap(
          ({ Condition }) => patterns.parse(Condition)['ForAllValues:StringLike']['dynamodb:LeadingKeys'],
        )
        .some((pattern) => !/^(RUN|NEEDS|EVENT|LIMIT|CONTEXT|MEMORY|DEAD|FILES?|USAGE)#/.test(pattern)),
    );
    expect(mayWrite.map(({ entry }) => entry)).toEqual(['functions/audit/record.ts']);
  });

  it('let only the recording function send to the queue of unwritten records', () => {
    const senders = functions.filter(({ statements }) =>
      statements.some(({ Resource }) => Resource.includes('AuditDeadLetterQueue')),
    );
    expect(senders.map(({ entry }) => entry)).toEqual(['functions/audit/record.ts']);
  });

  it('let no function use the flow key without the tenant, or its bucket, in the encryption context', () => {
    const uses = functions.flatMap(({ statements }) =>
      statements.filter(({ Resource }) => Resource.includes('FlowKey')),
    );
    expect(uses.length).toBeGreaterThan(0);
    const [[files] = []] = ofType(template, 'AWS::S3::Bucket');
    const bucket = { 'Fn::GetAtt': [files, 'Arn'] };
    for (const { Condition } of uses) {
      expect([
        { StringEquals: { 'kms:EncryptionContext:tenant': 'demo' } },
        { StringEquals: { 'kms:EncryptionContext:aws:s3:arn': bucket } },
      ]).toContainEqual(Condition);
    }
  });
});

describe('models on Bedrock', () => {
  const statementsFor = (model: string) => {
    const models = { one: { provider: 'bedrock', model } } as const;
    const made = ofType(
      deployedTemplate(tenantLike({ models, modelDefault: 'one', functionRoles: 'own' })),
      'AWS::IAM::Role',
    );
    const statements = made.flatMap(([id, properties]) =>
      id.startsWith('TriggerFlowRole') ? readStatements(properties) : [],
    );
    return statements.filter(({ Action }) => Action.includes('bedrock:InvokeModel'));
  };

  it('a guardrail is granted if a model declares it, and no other', () => {
    const model = { provider: 'bedrock', model: 'amazon.nova-lite-v1:0', region: 'us-east-1' } as const;
    const arn = 'arn:aws:bedrock:eu-west-1:111122223333:guardrail/shared1';
    const models = {
      one: { ...model, guardrail: { id: 'abc123', version: '2' } },
      two: { ...model, guardrail: { id: arn, version: 'DRAFT' } },
      three: model,
    };
    const made = ofType(
      deployedTemplate(tenantLike({ models, modelDefault: 'one', functionRoles: 'own' })),
      'AWS::IAM::Role',
    );
    const statements = made.flatMap(([id, properties]) =>
      id.startsWith('TriggerFlowRole') ? readStatements(properties) : [],
    );
    const granted = statements.filter(({ Action }) => Action.includes('bedrock:ApplyGuardrail'));
    expect(granted.flatMap(({ Resource }) => Resource).sort()).toEqual([
      'arn:AWS::Partition:bedrock:us-east-1:AWS::AccountId:guardrail/abc123',
      arn,
    ]);
    expect(granted.flatMap(({ Action }) => Action)).toEqual(granted.map(() => 'bedrock:ApplyGuardrail'));
  });

  it('a model is granted only in its own region', () => {
    expect(statementsFor('amazon.nova-lite-v1:0').map(({ Resource }) => Resource)).toEqual([
      ['arn:AWS::Partition:bedrock:AWS::Region::foundation-model/amazon.nova-lite-v1:0'],
    ]);
  });

  it('an inference profile is granted, and the model behind it through the profile only', () => {
    const profile =
      'arn:AWS::Partition:bedrock:AWS::Region:AWS::AccountId:inference-profile/eu.amazon.nova-lite-v1:0';
    const [own, behind] = statementsFor('eu.amazon.nova-lite-v1:0');
    expect(own?.Resource).toEqual([profile]);
    expect(behind?.Resource).toEqual([
      'arn:AWS::Partition:bedrock:*::foundation-model/amazon.nova-lite-v1:0',
    ]);
    expect(named(at(behind?.Condition, 'StringEquals.bedrock:InferenceProfileArn'))).toBe(profile);
  });
});
