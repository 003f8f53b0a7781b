// The user pool of a tenant that signs people in with Cognito.
import { App, Stack } from 'aws-cdk-lib/core';
import { describe, expect, it } from 'vitest';
import { newApp } from '#lib/infra/app.ts';
import { identityProvider } from '#lib/infra/identity-provider.ts';
import { samTemplate } from '#lib/infra/sam-template.ts';
import { template as readTemplate, type Template } from '#lib/infra/template.ts';
import type { TenantInput } from '#lib/infra/tenant.ts';
import { addUserPool } from '#lib/infra/user-pool.ts';
import { resolverFor } from '#lib/local/physical-names.ts';
import { readStack } from '#lib/local/stack.ts';
import { readTemplate as readLocalTemplate } from '#lib/local/template.ts';
import { at, deployedFiles, deployedTemplate, named, ofType, tenantLike } from './demo-app.ts';

type Cognito = NonNullable<NonNullable<TenantInput['signIn']>['cognito']>;
const client = { clientId: 'client-1', clientSecretRef: 'federation' };
const directoryId = '11111111-2222-3333-4444-555555555555';
const everyKind: Cognito = {
  federation: [
    { type: 'google', ...client },
    { type: 'microsoft', directoryId, ...client, emailDomains: ['example.com'] },
    {
      type: 'saml',
      name: 'Okta-1',
      metadataUrl: 'https://id.example.com/metadata',
      emailDomains: ['a.example'],
    },
    { type: 'oidc', name: 'Keycloak', issuer: 'https://id.example.com', ...client },
  ],
};

/** What the pool adds to the stack of a tenant. */
const template = (cognito: Cognito = {}): Template => {
  const stack = new Stack(newApp(), 'Tenant');
  const tenant = tenantLike({ signIn: { cognito } });
  const userPool = addUserPool(stack, tenant, true);
  identityProvider(stack, tenant, { gatewayUrl: 'https://agents.example.com', userPool });
  return readTemplate.parse(App.of(stack)?.synth().getStackByName('Tenant').template);
};
const only = (made: ReturnType<typeof template>, type: string) => {
  const found = ofType(made, `AWS::${type}`);
  expect(found).toHaveLength(1);
  return found[0]?.[1] ?? {};
};
const plain = template();
const federated = template(everyKind);
/** What such a tenant deploys. */
const deployed = deployedTemplate(tenantLike({ signIn: { cognito: everyKind } }));

const variables = (made: ReturnType<typeof template>, name: string) =>
  Object(
    at(
      ofType(made, 'AWS::Lambda::Function').find(([id]) => id.startsWith(name))?.[1],
      'Environment.Variables',
    ),
  );

describe('the user pool', () => {
  const pool = only(plain, 'Cognito::UserPool');

  it('has the feature plan with codes and passkeys, and passwords only in name', () => {
    expect(pool).toMatchObject({
      UserPoolTier: 'ESSENTIALS',
      Policies: { SignInPolicy: { AllowedFirstAuthFactors: ['PASSWORD', 'EMAIL_OTP', 'WEB_AUTHN'] } },
      AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'admin_only', Priority: 1 }] },
      WebAuthnUserVerification: 'required',
      MfaConfiguration: 'OFF',
    });
  });

  it('is not deleted, neither by a call nor with its stack', () => {
    expect(pool.DeletionProtection).toBe('ACTIVE');
    const [id = ''] = ofType(plain, 'AWS::Cognito::UserPool')[0] ?? [];
    expect(plain.Resources[id]).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
    });
  });

  it('lets nobody sign up, and takes addresses only when they are verified', () => {
    expect(pool).toMatchObject({
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      UsernameAttributes: ['email'],
      UsernameConfiguration: { CaseSensitive: false },
      AutoVerifiedAttributes: ['email'],
      UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
    });
  });

  it('sends with Cognito, or with an identity of SES', () => {
    const sourceArn = 'arn:aws:ses:eu-central-1:111122223333:identity/example.com';
    const own = template({ emailSender: { from: 'Example <id@example.com>', sourceArn } });
    expect(pool.EmailConfiguration).toEqual({ EmailSendingAccount: 'COGNITO_DEFAULT' });
    expect(only(own, 'Cognito::UserPool').EmailConfiguration).toEqual({
      EmailSendingAccount: 'DEVELOPER',
      From: 'Example <id@example.com>',
      SourceArn: sourceArn,
    });
  });

  it('is in no stack of a tenant with another provider, or none', () => {
    const other = { issuer: 'https://id.example.com', clientId: 'c' };
    for (const tenant of [tenantLike(), tenantLike({ signIn: other })])
      expect(JSON.stringify(deployedTemplate(tenant))).not.toContain('AWS::Cognito');
  });
});

describe('the app client', () => {
  const made = only(plain, 'Cognito::UserPoolClient');

  it('is confidential, and takes only the authorization code flow', () => {
    expect(made).toMatchObject({
      GenerateSecret: true,
      AllowedOAuthFlowsUserPoolClient: true,
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: ['openid', 'email', 'profile'],
      ExplicitAuthFlows: ['ALLOW_USER_AUTH', 'ALLOW_REFRESH_TOKEN_AUTH'],
      PreventUserExistenceErrors: 'ENABLED',
      EnableTokenRevocation: true,
    });
  });

  it('returns people to the service and nowhere else', () => {
    expect(made.CallbackURLs).toEqual(['https://agents.example.com/auth/callback']);
    expect(made.LogoutURLs).toEqual(['https://agents.example.com/auth/session']);
    const [[, client] = []] = ofType(deployed, 'AWS::Cognito::UserPoolClient');
    const host = 'https://Gateway.execute-api.AWS::Region.AWS::URLSuffix/main';
    expect([at(client, 'CallbackURLs')].flat().map(named)).toEqual([`${host}/auth/callback`]);
  });

  it('is replaced, with its secret, by another version', () => {
    const made = template({ clientVersion: 2 });
    expect(ofType(made, 'AWS::Cognito::UserPoolClient').map(([id]) => id)).toEqual(['SignInClient2']);
    expect(only(made, 'SecretsManager::Secret').SecretString).toEqual({
      'Fn::GetAtt': ['SignInClient2', 'ClientSecret'],
    });
    expect(Object.keys(made.Resources)).toContain('UserPool');
  });

  it('without sign-in by e-mail has only the other providers, and the pool no codes or passkeys', () => {
    const made = template({ ...everyKind, emailSignIn: false });
    expect(only(made, 'Cognito::UserPoolClient')).toMatchObject({
      SupportedIdentityProviders: ['Google', 'Microsoft', 'Okta-1', 'Keycloak'],
      ExplicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH'],
    });
    expect(at(only(made, 'Cognito::UserPool'), 'Policies.SignInPolicy.AllowedFirstAuthFactors')).toEqual([
      'PASSWORD',
    ]);
  });
});

describe('the domain', () => {
  it('has managed login with pages of its own client', () => {
    expect(only(plain, 'Cognito::UserPoolDomain').ManagedLoginVersion).toBe(2);
    const pages = only(plain, 'Cognito::ManagedLoginBranding');
    expect(pages.UseCognitoProvidedValues).toBe(true);
    expect(named(pages.ClientId)).toBe('SignInClient');
  });

  it('has a prefix of the stack, a given one, or a name of its own; passkeys are bound to it', () => {
    const party = (made: ReturnType<typeof template>) =>
      only(made, 'Cognito::UserPool').WebAuthnRelyingPartyID;
    const domain = (made: ReturnType<typeof template>) => only(made, 'Cognito::UserPoolDomain');
    expect(JSON.stringify(domain(plain).Domain)).toMatch(/"demo-".*AWS::StackId/);
    expect(JSON.stringify(party(plain))).toMatch(/"demo-".*AWS::StackId.*auth.*amazoncognito\.com/);
    const given = template({ domainPrefix: 'acme' });
    expect(domain(given).Domain).toBe('acme');
    expect(named(party(given))).toBe('acme.auth.AWS::Region.amazoncognito.com');
    const certificateArn = 'arn:aws:acm:us-east-1:111122223333:certificate/1';
    const own = template({ customDomain: { domainName: 'id.example.com', certificateArn } });
    expect(domain(own)).toMatchObject({
      Domain: 'id.example.com',
      CustomDomainConfig: { CertificateArn: certificateArn },
    });
    expect(party(own)).toBe('id.example.com');
  });
});

describe('federation', () => {
  const providers = Object.fromEntries(
    ofType(federated, 'AWS::Cognito::UserPoolIdentityProvider').map(([, each]) => [each.ProviderName, each]),
  );
  const secret = '{{resolve:secretsmanager:agent-flow/demo/federation:SecretString:::}}';
  const ofClient = { client_id: 'client-1', client_secret: secret, authorize_scopes: 'openid email profile' };
  const claims = { email: 'email', email_verified: 'email_verified', name: 'name' };

  it('with Google takes what it says of the address', () => {
    expect(providers.Google).toMatchObject({
      ProviderType: 'Google',
      ProviderDetails: ofClient,
      AttributeMapping: claims,
    });
  });

  it('with Microsoft is one directory, whose addresses are not verified', () => {
    expect(providers.Microsoft).toMatchObject({
      ProviderType: 'OIDC',
      ProviderDetails: {
        ...ofClient,
        oidc_issuer: `https://login.microsoftonline.com/${directoryId}/v2.0`,
        attributes_request_method: 'GET',
      },
    });
    expect(providers.Microsoft?.AttributeMapping).toEqual({ email: 'email', name: 'name' });
  });

  it('with SAML has the metadata, and addresses that are not verified', () => {
    expect(providers['Okta-1']).toMatchObject({
      ProviderType: 'SAML',
      ProviderDetails: { MetadataURL: 'https://id.example.com/metadata' },
    });
    expect(providers['Okta-1']?.AttributeMapping).not.toHaveProperty('email_verified');
  });

  it('with OpenID Connect takes what the provider says of the address', () => {
    expect(providers.Keycloak).toMatchObject({
      ProviderType: 'OIDC',
      ProviderDetails: { ...ofClient, oidc_issuer: 'https://id.example.com' },
      AttributeMapping: claims,
    });
  });

  it('is offered by the client, which is created after the providers', () => {
    const [[id = '', made] = []] = ofType(federated, 'AWS::Cognito::UserPoolClient');
    expect(made?.SupportedIdentityProviders).toEqual([
      'COGNITO',
      'Google',
      'Microsoft',
      'Okta-1',
      'Keycloak',
    ]);
    const created = [federated.Resources[id]?.DependsOn ?? []].flat();
    expect(created.sort()).toEqual([
      'SignInWithGoogle',
      'SignInWithKeycloak',
      'SignInWithMicrosoft',
      'SignInWithOkta1',
    ]);
  });
});

describe('the functions that sign people in', () => {
  const unfederated = deployedTemplate(tenantLike({ signIn: { cognito: {} } }));

  it.each(['BeginSignIn', 'FinishSignIn'])(
    '%s know the pool, the client and a reference to its secret',
    (name) => {
      const { SIGN_IN_ISSUER, SIGN_IN_CLIENT_ID, SIGN_IN_CLIENT_SECRET, SIGN_IN_EMAIL_DOMAINS } = variables(
        deployed,
        name,
      );
      expect(SIGN_IN_ISSUER).toEqual({ 'Fn::GetAtt': ['UserPool', 'ProviderURL'] });
      expect(SIGN_IN_CLIENT_ID).toEqual({ Ref: 'SignInClient' });
      expect(named(SIGN_IN_CLIENT_SECRET)).toBe(
        '{{resolve:secretsmanager:SignInClientSecret:SecretString:::}}',
      );
      expect(JSON.parse(SIGN_IN_EMAIL_DOMAINS)).toEqual({
        Microsoft: ['example.com'],
        'Okta-1': ['a.example'],
      });
      expect(variables(unfederated, name)).not.toHaveProperty('SIGN_IN_EMAIL_DOMAINS');
    },
  );

  it('are the only ones that do; only the role of invitations may create accounts, where accounts are used', () => {
    const knowing = ofType(deployed, 'AWS::Lambda::Function').filter(([, each]) =>
      JSON.stringify(at(each, 'Environment.Variables')).includes('SIGN_IN_ISSUER'),
    );
    expect(knowing.map(([id]) => named({ Ref: id }))).toEqual(['BeginSignIn', 'FinishSignIn']);
    const roles = (made: Template) =>
      ofType(made, 'AWS::IAM::Role').filter(([, role]) => JSON.stringify(role).includes('cognito-idp'));
    expect(roles(deployed).map(([id]) => named({ Ref: id }))).toEqual(['AccessRole']);
    const statements = JSON.stringify(roles(deployed));
    expect(statements.match(/cognito-idp:\w+/g)).toEqual(['cognito-idp:AdminCreateUser']);
    expect(statements).toContain('{"Fn::GetAtt":["UserPool","Arn"]}');
    expect(variables(deployed, 'InviteMember').SIGN_IN_USER_POOL_ID).toEqual({ Ref: 'UserPool' });
    const elsewhere = deployedTemplate(
      tenantLike({ signIn: { cognito: { ...everyKind, emailSignIn: false } } }),
    );
    expect(roles(elsewhere)).toEqual([]);
    expect(variables(elsewhere, 'InviteMember')).not.toHaveProperty('SIGN_IN_USER_POOL_ID');
  });

  it('get the secret by no parameter of a nested stack, which many people can read', () => {
    const files = deployedFiles(tenantLike({ signIn: { cognito: everyKind } }));
    const names = files.flatMap(([, text]) => text.match(/"ClientSecret"/g) ?? []);
    expect(names).toHaveLength(1);
    const secret = only(deployed, 'SecretsManager::Secret');
    expect(secret.SecretString).toEqual({ 'Fn::GetAtt': ['SignInClient', 'ClientSecret'] });
  });
});

it('the outputs are what the other side of a federation asks for', () => {
  const { Outputs = {} } = template({ domainPrefix: 'acme' });
  const value = (name: string) => named(Outputs[name]?.Value);
  const host = 'acme.auth.AWS::Region.amazoncognito.com';
  expect(value('FederationRedirectUri')).toBe(`https://${host}/oauth2/idpresponse`);
  expect(value('SamlAcsUrl')).toBe(`https://${host}/saml2/idpresponse`);
  expect(value('SamlEntityId')).toBe('urn:amazon:cognito:sp:UserPool');
  expect(value('UserPoolId')).toBe('UserPool');
});

describe('on the machine of a developer', () => {
  const local = { SIGN_IN_ISSUER: 'http://127.0.0.1:4020', SIGN_IN_CLIENT_SECRET: 'local' };

  it('the local host reads the template, and ignores the pool', () => {
    const read = readLocalTemplate(deployed);
    const { functions } = readStack(
      read,
      resolverFor(read, { baseUrl: 'http://127.0.0.1:3000', sqs: 'http://127.0.0.1:4566' }),
    );
    const begin = functions.find(({ logicalId }) => logicalId.startsWith('BeginSignIn'));
    expect(begin?.environment).toMatchObject({
      SIGN_IN_ISSUER: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_UserPool',
      SIGN_IN_CLIENT_ID: 'SignInClient',
    });
  });

  it('the functions in `sam local` sign in with the provider of the local host', () => {
    const sam = samTemplate(deployed, { architecture: 'x86_64', environment: local, host: 'docker' });
    expect(variables(sam, 'FinishSignIn')).toMatchObject({
      SIGN_IN_ISSUER: 'http://docker:4020',
      SIGN_IN_CLIENT_SECRET: 'local',
    });
  });
});
