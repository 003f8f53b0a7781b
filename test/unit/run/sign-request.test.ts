// The vector `post-vanilla` of the AWS Signature Version 4 test suite.
import { expect, test } from 'vitest';
import { signedHeaders } from '#lib/run/sign-request.ts';

const request = {
  url: new URL('https://example.amazonaws.com/'),
  body: '',
  service: 'service',
  at: new Date('2015-08-30T12:36:00Z'),
};
const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: undefined,
  region: 'us-east-1',
};

test('a request is signed as AWS documents it', () => {
  expect(signedHeaders(request, credentials)).toEqual({
    'x-amz-date': '20150830T123600Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  });
});

test('the token of a session is sent and signed', () => {
  const headers = signedHeaders(request, { ...credentials, sessionToken: 'token' });
  expect(headers['x-amz-security-token']).toBe('token');
  expect(headers.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,');
});
