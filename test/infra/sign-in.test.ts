// `signIn` in tenant files: what is accepted, and what a mistake is answered with.
import { describe, expect, it } from 'vitest';
import { parseTenant, type TenantInput } from '#lib/infra/tenant.ts';
import { tenantLike } from './demo-app.ts';

const issuer = 'https://id.example.com';
const client = { clientId: 'client', clientSecretRef: 'secret' };
const google = { type: 'google', ...client };
const directoryId = '11111111-2222-3333-4444-555555555555';
const microsoft = { type: 'microsoft', directoryId, ...client };
const saml = { type: 'saml', name: 'Okta', metadataUrl: 'https://id.example.com/metadata' };
const oidc = { type: 'oidc', name: 'Keycloak', issuer, ...client };
const certificateArn = 'arn:aws:acm:us-east-1:111122223333:certificate/1';

const parse = (signIn: unknown, id = 'acme') =>
  parseTenant({ ...tenantLike(), id, signIn } as TenantInput, 'acme.json').signIn;

describe('a tenant can sign people in', () => {
  it.each([
    ['with any issuer, as a confidential client', { issuer, ...client }],
    ['with any issuer, as a public client', { issuer, clientId: 'client' }],
  ])('%s', (_what, signIn) => expect(parse(signIn)).toEqual(signIn));

  it('with a user pool, by e-mail alone unless it says otherwise', () => {
    expect(parse({ cognito: {} })).toEqual({
      cognito: { emailSignIn: true, clientVersion: 1, federation: [] },
    });
  });

  it('with a user pool and each kind of federation', () => {
    const federation = [google, microsoft, saml, oidc];
    expect(parse({ cognito: { federation } })).toEqual({
      cognito: {
        emailSignIn: true,
        clientVersion: 1,
        federation: [google, { ...microsoft, name: 'Microsoft' }, saml, oidc],
      },
    });
  });
});

const withCognito = (cognito: object) => ({ cognito });
const withProvider = (...federation: unknown[]) => withCognito({ federation });
const many = Array.from({ length: 50 }, (_, n) => `department-number-${n}.example.com`);

describe('a tenant file is refused with', () => {
  it.each<[string, unknown, RegExp]>([
    [
      'an issuer and a user pool',
      { issuer, clientId: 'c', cognito: {} },
      /^acme\.json: signIn\.cognito: must not be given with issuer/,
    ],
    [
      'a secret for a user pool',
      { clientSecretRef: 's', cognito: {} },
      /signIn\.cognito: must not be given with/,
    ],
    ['neither', {}, /^acme\.json: signIn\.issuer: must be given, unless there is cognito$/],
    ['an issuer without client', { issuer }, /signIn\.clientId: must be given with issuer/],
    ['an unknown field', { issuer, clientId: 'c', secret: 's' }, /signIn\.secret: unknown field/],
    [
      'the secret itself',
      { issuer, clientId: 'c', clientSecretRef: 'a/b' },
      /signIn\.clientSecretRef: must be 1 to 100/,
    ],
    [
      'nobody who can sign in',
      withCognito({ emailSignIn: false }),
      /cognito\.federation: must name a provider when emailSignIn is false/,
    ],
    [
      'a sender without e-mail',
      withCognito({
        emailSignIn: false,
        federation: [google],
        emailSender: {
          from: 'a@b.example',
          sourceArn: 'arn:aws:ses:eu-west-1:111122223333:identity/b.example',
        },
      }),
      /cognito\.emailSender: has no use/,
    ],
    [
      'a sender that is no identity',
      withCognito({ emailSender: { from: 'a@b.example', sourceArn: 'b.example' } }),
      /emailSender\.sourceArn: must be the ARN of an identity/,
    ],
    [
      'a prefix and a domain',
      withCognito({ domainPrefix: 'acme', customDomain: { domainName: 'id.example.com', certificateArn } }),
      /cognito\.domainPrefix: must not be given with customDomain/,
    ],
    [
      'a prefix that Cognito refuses',
      withCognito({ domainPrefix: 'my-aws' }),
      /cognito\.domainPrefix: must not contain "aws"/,
    ],
    ['a prefix in capitals', withCognito({ domainPrefix: 'Acme' }), /cognito\.domainPrefix: must be 1 to 63/],
    [
      'a certificate of another region',
      withCognito({
        customDomain: {
          domainName: 'id.example.com',
          certificateArn: certificateArn.replace('us-east-1', 'eu-west-1'),
        },
      }),
      /customDomain\.certificateArn: must be the ARN of an ACM certificate in us-east-1/,
    ],
    [
      'GitHub, which has no OpenID Connect',
      withProvider({ type: 'github', ...client }),
      /federation\.0\.type: is not possible for "github".*OpenID Connect bridge/,
    ],
    [
      'an unknown provider',
      withProvider({ type: 'facebook', ...client }),
      /federation\.0\.type: must be "google", "microsoft", "saml" or "oidc"/,
    ],
    [
      'a directory of all companies',
      withProvider({ ...microsoft, directoryId: 'common' }),
      /federation\.0\.directoryId: must be the directory/,
    ],
    [
      'one name twice',
      withProvider(saml, { ...oidc, name: 'okta' }),
      /cognito\.federation: must have different names/,
    ],
    ['a name of Cognito', withProvider({ ...oidc, name: 'COGNITO' }), /federation\.0\.name: is reserved/],
    [
      'a name with an underscore',
      withProvider({ ...oidc, name: 'my_idp' }),
      /federation\.0\.name: must be 3 to 32/,
    ],
    [
      'metadata over http',
      withProvider({ ...saml, metadataUrl: 'http://id.example.com' }),
      /federation\.0\.metadataUrl: must be an https URL/,
    ],
    [
      'an issuer over http',
      withProvider({ ...oidc, issuer: 'http://id.example.com' }),
      /federation\.0\.issuer: must be an https URL/,
    ],
    [
      'every domain',
      withProvider({ ...saml, emailDomains: ['*'] }),
      /federation\.0\.emailDomains\.0: must be a host name/,
    ],
    [
      'domains of Google, which verifies addresses',
      withProvider({ ...google, emailDomains: ['example.com'] }),
      /federation\.0\.emailDomains: unknown field/,
    ],
    [
      'more domains than fit in a variable',
      withProvider({ ...saml, emailDomains: many }),
      /cognito\.federation: must have emailDomains of at most 1000 bytes/,
    ],
  ])('%s', (_what, signIn, message) => expect(() => parse(signIn)).toThrow(message));

  it('a name that Cognito refuses in addresses, unless there is another one', () => {
    expect(() => parse({ cognito: {} }, 'aws-team')).toThrow(/signIn\.cognito\.domainPrefix: must be given/);
    expect(parse({ cognito: { domainPrefix: 'team' } }, 'aws-team')).toBeDefined();
  });
});
