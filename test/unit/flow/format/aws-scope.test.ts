import { expect, test } from 'vitest';
import { findAwsScope } from '#lib/flow/format/aws-scope.ts';

const many = {
  services: ['bedrock', 's3', 'es', 'execute-api', 'lambda', 'iam', 'aoss'],
  regions: ['eu-central-1', 'us-east-1'],
};

test.each([
  ['bedrock-agent-runtime.eu-central-1.amazonaws.com', 'bedrock', 'eu-central-1'],
  ['bedrock-runtime-fips.us-east-1.amazonaws.com', 'bedrock', 'us-east-1'],
  ['my.bucket.s3.eu-central-1.amazonaws.com', 's3', 'eu-central-1'],
  ['es.s3.dualstack.eu-central-1.amazonaws.com', 's3', 'eu-central-1'],
  ['search-x.eu-central-1.es.amazonaws.com', 'es', 'eu-central-1'],
  ['abc.eu-central-1.aoss.amazonaws.com', 'aoss', 'eu-central-1'],
  ['a1.execute-api.eu-central-1.amazonaws.com', 'execute-api', 'eu-central-1'],
  ['a1-vpce-1.execute-api.eu-central-1.vpce.amazonaws.com', 'execute-api', 'eu-central-1'],
  ['abc.lambda-url.eu-central-1.on.aws', 'lambda', 'eu-central-1'],
  ['iam.amazonaws.com', 'iam', 'us-east-1'],
])('the host %s is of %s in %s', (host, service, region) => {
  expect(findAwsScope(host, many)).toEqual({ service, region });
});

test.each([
  ['another service', 'sqs.eu-central-1.amazonaws.com'],
  ['another region', 's3.eu-west-1.amazonaws.com'],
  ['a bucket that is named like a service', 'iam.sqs.eu-central-1.amazonaws.com'],
  ['a bucket that is named like a region', 'eu-central-1.s3.eu-west-1.amazonaws.com'],
  ['a name that only ends like AWS', 's3.eu-central-1.evilamazonaws.com'],
  ['a domain of one’s own, beside several services', 'search.acme.example'],
])('%s is out of scope', (_what, host) => {
  expect(findAwsScope(host, many)).toBeUndefined();
});

test('a domain of one’s own is of the only service and region', () => {
  const one = { services: ['execute-api'], regions: ['eu-central-1'] };
  expect(findAwsScope('search.acme.example', one)).toEqual({
    service: 'execute-api',
    region: 'eu-central-1',
  });
  expect(findAwsScope('sqs.eu-central-1.amazonaws.com', one)).toBeUndefined();
});
