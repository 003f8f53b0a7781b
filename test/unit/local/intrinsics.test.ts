// How template values resolve. What a resource is called is tested with it, because only together they say
// what a function sees.
import { describe, expect, test } from 'vitest';
import { resolverFor } from '#lib/local/physical-names.ts';
import { readTemplate } from '#lib/local/template.ts';
import { fn, gatewayUrl, queue, restApi } from './fixtures/template.ts';

const template = readTemplate({
  Parameters: { WithDefault: { Type: 'String', Default: 'given' }, Without: { Type: 'String' } },
  Resources: {
    ...restApi([]),
    Table: { Type: 'AWS::DynamoDB::Table', Properties: {} },
    Named: {
      Type: 'AWS::DynamoDB::GlobalTable',
      Properties: { TableName: { 'Fn::Sub': `runs-\${AWS::Region}` } },
    },
    Queue: queue(),
    Key: { Type: 'AWS::KMS::Key', Properties: {} },
    Alias: { Type: 'AWS::KMS::Alias', Properties: { AliasName: 'alias/flow', TargetKeyId: { Ref: 'Key' } } },
    Fn: fn('echo'),
    Role: { Type: 'AWS::IAM::Role', Properties: {} },
  },
});
const resolve = resolverFor(template, { baseUrl: 'http://127.0.0.1:3000', sqs: 'http://127.0.0.1:4000' });

const values: readonly (readonly [string, unknown, unknown])[] = [
  ['a literal stays', 'text', 'text'],
  ['a list and an object are walked', [{ a: { Ref: 'Table' }, b: 1 }], [{ a: 'Table', b: 1 }]],
  ['Ref of a table is its logical id', { Ref: 'Table' }, 'Table'],
  ['Ref of a named table is the name, resolved', { Ref: 'Named' }, 'runs-us-east-1'],
  [
    'Ref of a queue is a URL on the local engine',
    { Ref: 'Queue' },
    'http://127.0.0.1:4000/000000000000/Queue',
  ],
  ['Ref of an alias is its name', { Ref: 'Alias' }, 'alias/flow'],
  ['Ref of a parameter is its default', { Ref: 'WithDefault' }, 'given'],
  ['Ref of any other resource is its logical id', { Ref: 'Role' }, 'Role'],
  ['a pseudo parameter', { Ref: 'AWS::AccountId' }, '000000000000'],
  ['GetAtt of a queue', { 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:Queue'],
  ['GetAtt with a dot', { 'Fn::GetAtt': 'Fn.Arn' }, 'arn:aws:lambda:us-east-1:000000000000:function:Fn'],
  [
    'GetAtt of a table',
    { 'Fn::GetAtt': ['Table', 'Arn'] },
    'arn:aws:dynamodb:us-east-1:000000000000:table/Table',
  ],
  ['Join', { 'Fn::Join': ['-', ['a', { Ref: 'Table' }, 1]] }, 'a-Table-1'],
  ['Split and Select', { 'Fn::Select': ['1', { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
  [
    'Sub with a reference, an attribute and a literal',
    { 'Fn::Sub': `\${Table} \${Fn.Arn} \${!Not}` },
    `Table arn:aws:lambda:us-east-1:000000000000:function:Fn \${Not}`,
  ],
  ['Sub with its own variable', { 'Fn::Sub': [`\${Own}`, { Own: { Ref: 'Table' } }] }, 'Table'],
  ['the gateway address by Join is the local one', gatewayUrl, 'http://127.0.0.1:3000'],
  [
    'the gateway address by Sub keeps its path',
    { 'Fn::Sub': `https://\${Api}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}/\${Stage}/api/v1` },
    'http://127.0.0.1:3000/api/v1',
  ],
  [
    'a stage that only begins alike is another one',
    { 'Fn::Sub': `https://\${Api}.execute-api.us-east-1.amazonaws.com/production` },
    'https://Api.execute-api.us-east-1.amazonaws.com/production',
  ],
];

describe('an intrinsic resolves to the local counterpart', () => {
  test.each(values)('%s', (_name, value, expected) => {
    expect(resolve(value, 'Fn.Properties')).toEqual(expected);
  });
});

const refusals: readonly (readonly [string, unknown, string])[] = [
  [
    'an unknown function',
    { 'Fn::ImportValue': 'x' },
    'Cannot resolve Fn::ImportValue at Fn.Properties.A: supported are Ref,',
  ],
  [
    'an unknown resource',
    { Ref: 'Nobody' },
    'Cannot resolve Ref at Fn.Properties.A: there is no resource "Nobody".',
  ],
  ['a parameter without default', { Ref: 'Without' }, 'parameter "Without" has no default'],
  [
    'an attribute without counterpart',
    { 'Fn::GetAtt': ['Role', 'RoleId'] },
    '"Role" (AWS::IAM::Role) has no "RoleId" here',
  ],
  ['a malformed argument', { 'Fn::Join': 'x' }, 'malformed argument "x"'],
  ['an element that is not there', { 'Fn::Select': [3, ['a']] }, 'there is no element 3'],
];

describe('an intrinsic that cannot be resolved is refused with its path and function', () => {
  test.each(refusals)('%s', (_name, value, message) => {
    expect(() => resolve({ A: value }, 'Fn.Properties')).toThrow(message);
  });
});

test('a key keeps its id across restarts', () => {
  const again = resolverFor(template, { baseUrl: 'http://127.0.0.1:1', sqs: 'http://127.0.0.1:2' });
  expect(again({ Ref: 'Key' }, 'x')).toBe(resolve({ Ref: 'Key' }, 'x'));
  expect(resolve({ Ref: 'Key' }, 'x')).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test('a value that is not a template is refused', () => {
  expect(() => readTemplate({ Resources: { A: {} } })).toThrow('Not a CloudFormation template');
});
