// The signature of URLs, with the example of the S3 reference, "Authenticating Requests: Using Query Parameters".
import { expect, test } from 'vitest';
import { encodeStrictly } from '#lib/aws-signer.ts';
import { presign } from '#lib/file/presign.ts';

const documented = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const request = {
  method: 'GET',
  url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
  expiresSeconds: 86_400,
  now: Date.UTC(2013, 4, 24),
} as const;

test('the documented example has the documented signature', () => {
  expect(presign(request, documented, 'us-east-1')).toBe(
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
      '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
      '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
      '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

test('headers, the token of temporary credentials and parameters are part of the signature, in the order of names', () => {
  const url = presign(
    {
      ...request,
      query: { 'response-content-type': 'text/plain' },
      headers: { 'x-amz-checksum-sha256': 'YQ==', 'content-type': 'image/png' },
    },
    { ...documented, sessionToken: 'FwoG/+=' },
    'eu-central-1',
  );
  const parameters = new URL(url).searchParams;
  expect([...parameters.keys()]).toEqual([
    'X-Amz-Algorithm',
    'X-Amz-Credential',
    'X-Amz-Date',
    'X-Amz-Expires',
    'X-Amz-Security-Token',
    'X-Amz-SignedHeaders',
    'response-content-type',
    'X-Amz-Signature',
  ]);
  expect(parameters.get('X-Amz-Security-Token')).toBe('FwoG/+=');
  expect(parameters.get('X-Amz-SignedHeaders')).toBe('content-type;host;x-amz-checksum-sha256');
  expect(parameters.get('X-Amz-Credential')).toContain('/eu-central-1/s3/');
});

test('all but the unreserved characters of RFC 3986 are encoded', () => {
  expect(encodeStrictly("a-Z_0.~ /+!'()*ü")).toBe('a-Z_0.~%20%2F%2B%21%27%28%29%2A%C3%BC');
});
