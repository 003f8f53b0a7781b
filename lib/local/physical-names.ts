// The names of the local resources: the values of Ref and Fn::GetAtt.
import { createHash } from 'node:crypto';
import { accountId, arn, region } from './account.ts';
import { resolver } from './intrinsics.ts';
import type { ReadTemplate, Resolve, TemplateResource } from './template.ts';

export type Addresses = { readonly baseUrl: string; readonly sqs: string };

type Named = {
  readonly logicalId: string;
  readonly name: (property: string) => string;
  readonly addresses: Addresses;
};
type Naming = {
  readonly ref: (named: Named) => string;
  readonly attributes: Readonly<Record<string, (named: Named) => string>>;
};

const table: Naming = {
  ref: ({ name }) => name('TableName'),
  attributes: { Arn: ({ name }) => arn('dynamodb', `table/${name('TableName')}`) },
};

const queueUrl = ({ name, addresses }: Named) => `${addresses.sqs}/${accountId}/${name('QueueName')}`;

const namings: Readonly<Record<string, Naming>> = {
  'AWS::DynamoDB::Table': table,
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::SQS::Queue': {
    ref: queueUrl,
    attributes: {
      Arn: ({ name }) => arn('sqs', name('QueueName')),
      QueueName: ({ name }) => name('QueueName'),
      QueueUrl: queueUrl,
    },
  },
  'AWS::S3::Bucket': {
    ref: ({ name }) => name('BucketName').toLowerCase(),
    attributes: { Arn: ({ name }) => `arn:aws:s3:::${name('BucketName').toLowerCase()}` },
  },
  'AWS::KMS::Key': {
    ref: ({ logicalId }) => keyId(logicalId),
    attributes: {
      Arn: ({ logicalId }) => arn('kms', `key/${keyId(logicalId)}`),
      KeyId: ({ logicalId }) => keyId(logicalId),
    },
  },
  'AWS::KMS::Alias': { ref: ({ name }) => name('AliasName'), attributes: {} },
  'AWS::Lambda::Function': {
    ref: ({ name }) => name('FunctionName'),
    attributes: { Arn: ({ name }) => arn('lambda', `function:${name('FunctionName')}`) },
  },
  // Not used locally, but the template of a schedule contains its ARN.
  'AWS::IAM::Role': {
    ref: ({ name }) => name('RoleName'),
    attributes: { Arn: ({ name }) => arn('iam', `role/${name('RoleName')}`) },
  },
  // Locally another provider signs people in, whose variables replace those of the pool.
  'AWS::Cognito::UserPool': {
    ref: ({ logicalId }) => `${region}_${logicalId}`,
    attributes: {
      Arn: ({ logicalId }) => arn('cognito-idp', `userpool/${region}_${logicalId}`),
      ProviderURL: ({ logicalId }) => `https://cognito-idp.${region}.amazonaws.com/${region}_${logicalId}`,
    },
  },
  'AWS::Cognito::UserPoolDomain': {
    ref: ({ name }) => name('Domain'),
    attributes: { CloudFrontDistribution: ({ name }) => name('Domain') },
  },
  'AWS::ApiGateway::RestApi': {
    ref: ({ logicalId }) => logicalId,
    attributes: { RootResourceId: ({ logicalId }) => `${logicalId}/root` },
  },
  'AWS::ApiGateway::Stage': { ref: ({ name }) => name('StageName'), attributes: {} },
};

export function resolverFor(template: ReadTemplate, addresses: Addresses): Resolve {
  const named = (logicalId: string, resource: TemplateResource): Named => ({
    logicalId,
    addresses,
    name: (property) => {
      const given = resource.Properties[property];
      return given === undefined ? logicalId : String(resolve(given, `${logicalId}.Properties.${property}`));
    },
  });
  const resolve = resolver(template, {
    ref: (logicalId) => {
      const resource = template.Resources[logicalId];
      return resource && (namings[resource.Type]?.ref(named(logicalId, resource)) ?? logicalId);
    },
    attribute: (logicalId, name) => {
      const resource = template.Resources[logicalId];
      return resource && namings[resource.Type]?.attributes[name]?.(named(logicalId, resource));
    },
    localise: createLocaliser(template, addresses.baseUrl),
  });
  return resolve;
}

/**
 * `https://{api}.execute-api.{region}.{suffix}/{stage}` is the local address: the stage is mapped at the
 * root, as a domain would do it.
 */
function createLocaliser(template: ReadTemplate, baseUrl: string): (text: string) => string {
  const resources = Object.entries(template.Resources);
  const apis = resources.filter(([, { Type }]) => Type === 'AWS::ApiGateway::RestApi').map(([id]) => id);
  const stages = resources
    .filter(([, { Type }]) => Type === 'AWS::ApiGateway::Stage')
    .map(([, { Properties }]) => String(Properties.StageName));
  if (apis.length === 0 || stages.length === 0) return (text) => text;
  const address = new RegExp(
    `https://(?:${apis.join('|')})\\.execute-api\\.[a-z0-9.-]+/(?:${stages.join('|')})(?![\\w-])`,
    'g',
  );
  return (text) => text.replace(address, baseUrl);
}

/** Depends only on the template, so that data can be decrypted after a restart. */
function keyId(logicalId: string): string {
  const hex = createHash('sha256').update(`kms-key:${logicalId}`).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
