// Where a request goes, and what is signed of it. The signatures themselves are the library's.
import { expect, test, vi } from 'vitest';
import { awsEndpoint, signedHeaders } from '#lib/aws-post.ts';

const request = {
  url: new URL('https://example.amazonaws.com/'),
  body: '',
  at: new Date('2015-08-30T12:36:00Z'),
};
const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};
const scope = { region: 'us-east-1', service: 'service' };

const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const beforeSignature =
  'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=';

test('the host, the time and the hash of the body are signed, for one day, region and service', async () => {
  const { authorization, ...others } = await signedHeaders(request, credentials, scope);
  expect(others).toEqual({ 'x-amz-content-sha256': emptyHash, 'x-amz-date': '20150830T123600Z' });
  expect(authorization).toMatch(/ Signature=[0-9a-f]{64}$/);
  expect(authorization).toContain(`${beforeSignature}host;x-amz-content-sha256;x-amz-date, `);
});

test('another body, key, path or time has another signature', async () => {
  const signatures = await Promise.all([
    signedHeaders(request, credentials, scope),
    signedHeaders({ ...request, body: '{}' }, credentials, scope),
    signedHeaders(request, { ...credentials, secretAccessKey: 'another' }, scope),
    signedHeaders({ ...request, url: new URL('/another', request.url) }, credentials, scope),
    signedHeaders({ ...request, at: new Date('2015-08-30T12:36:01Z') }, credentials, scope),
  ]);
  expect(new Set(signatures.map(({ authorization }) => authorization)).size).toBe(5);
});

test('the token of a session is sent and signed', async () => {
  const headers = await signedHeaders(request, { ...credentials, sessionToken: 'token' }, scope);
  expect(headers['x-amz-security-token']).toBe('token');
  expect(headers.authorization).toContain('x-amz-date;x-amz-security-token,');
});

test('the address is that of the service in the region, or what the variables of the SDKs say', () => {
  vi.stubEnv('AWS_ENDPOINT_URL', undefined);
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', undefined);
  expect(awsEndpoint('lambda', 'eu-central-1')).toBe('https://lambda.eu-central-1.amazonaws.com/');
  expect(awsEndpoint('sts', 'cn-north-1')).toBe('https://sts.cn-north-1.amazonaws.com.cn/');
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:4566');
  expect(awsEndpoint('lambda', 'eu-central-1')).toBe('http://127.0.0.1:4566');
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', 'http://127.0.0.1:1');
  expect(awsEndpoint('lambda', 'eu-central-1')).toBe('http://127.0.0.1:1');
  vi.unstubAllEnvs();
});
