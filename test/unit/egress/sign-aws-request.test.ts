// Signatures of requests to AWS: the examples of its documentation, and what a server that verifies them accepts.
import { describe, expect, test } from 'vitest';
import { signRequest } from '#lib/egress/sign-aws-request.ts';
import { secret } from '#lib/secret.ts';
import { verifyAwsSignature } from '#test/support/verify-aws-signature.ts';

const keys = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: secret('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'),
  sessionToken: undefined,
};

interface Sent {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const sign = async (
  { url, method = 'GET', headers = {}, body }: Sent,
  scope = { service: 's3', region: 'us-east-1' },
  at = '2013-05-24T00:00:00Z',
) =>
  await signRequest(keys, scope, () => Date.parse(at))({
    url: new URL(url),
    method,
    headers: new Headers(headers),
    body: body === undefined ? null : Buffer.from(body),
  });

/** "Authenticating Requests: Using the Authorization Header", Amazon S3 API Reference. */
test.each([
  [
    'GET Object',
    { url: 'https://examplebucket.s3.amazonaws.com/test.txt', headers: { Range: 'bytes=0-9' } },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'GET Bucket Lifecycle',
    { url: 'https://examplebucket.s3.amazonaws.com/?lifecycle' },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'Get Bucket (List Objects)',
    { url: 'https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J' },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])('signs the documented example %s', async (_name, sent, signature) => {
  const { headers } = await sign(sent);
  expect(headers.get('authorization')).toMatch(new RegExp(`Signature=${signature}$`));
});

/** The vector `get-vanilla` of the suite of AWS, and the example of "Signature Version 4 signing process". */
describe('the verifying server of the tests accepts', () => {
  test.each([
    [
      'get-vanilla',
      'AKIDEXAMPLE',
      {
        target: '/',
        headers: {
          host: 'example.amazonaws.com',
          'x-amz-date': '20150830T123600Z',
          authorization:
            'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
        },
      },
    ],
    [
      'ListUsers',
      'AKIDEXAMPLE',
      {
        target: '/?Action=ListUsers&Version=2010-05-08',
        headers: {
          host: 'iam.amazonaws.com',
          'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
          'x-amz-date': '20150830T123600Z',
          authorization:
            'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
        },
      },
    ],
  ])('%s', (_name, accessKeyId, request) => {
    const secretKey = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
    const received = { method: 'GET', body: '', ...request };
    const find = (id: string) => (id === accessKeyId ? secretKey : undefined);
    expect(verifyAwsSignature(received, find)).toMatchObject({ accessKeyId });
    expect(verifyAwsSignature({ ...received, body: 'x' }, find)).toBeUndefined();
  });
});

test.each([
  'https://bedrock-runtime.eu-central-1.amazonaws.com/model/anthropic.claude-v2:1/converse',
  'https://x.execute-api.eu-central-1.amazonaws.com/a%2Fb/c d/(e)!?q=one+two&q=%2B&r=*&empty=&%C3%A4=%F0%9F%92%A1',
  "https://x.execute-api.eu-central-1.amazonaws.com/%zz/it's?b=2&a=1&a=0",
])('has one reading for every server: %s', async (url) => {
  const {
    url: sent,
    headers,
    method,
  } = await sign(
    {
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-amz-date': 'forged' },
      body: '{"ä":1}',
    },
    { service: 'execute-api', region: 'eu-central-1' },
  );
  const received = {
    method,
    target: sent.href.slice(sent.origin.length),
    headers: { ...Object.fromEntries(headers), host: sent.host },
    body: '{"ä":1}',
  };
  expect(received.target).not.toContain('+');
  const verified = verifyAwsSignature(received, () => keys.secretAccessKey.reveal());
  expect(verified?.signedHeaders).toEqual(expect.arrayContaining(['content-type', 'host', 'x-amz-date']));
});
