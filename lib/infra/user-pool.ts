// The Cognito user pool of a tenant: people sign in by e-mail code, passkey or a federated provider. Nobody can sign up;
// what a person may do is up to the membership that an invitation gives (docs/operations.md, "Cognito").
import {
  CfnManagedLoginBranding,
  CfnUserPool,
  CfnUserPoolClient,
  CfnUserPoolDomain,
  CfnUserPoolIdentityProvider,
} from 'aws-cdk-lib/aws-cognito';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Aws, RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { type Cognito, type Federated, nameOf } from './sign-in.ts';
import { stackSuffix } from './stack-suffix.ts';

interface UserPoolOptions {
  readonly tenantId: string;
  readonly cognito: Cognito;
  readonly gatewayUrl: string;
  /** Whether the pool has deletion protection. */
  readonly isProtected: boolean;
  /** A reference to the secret of that name in Secrets Manager. */
  readonly readSecret: (name: string) => string;
}

interface Host {
  readonly name: string;
  /** Where the DNS record of a domain of one's own points. */
  readonly target?: string | undefined;
}

export interface UserPool {
  readonly pool: CfnUserPool;
  readonly client: CfnUserPoolClient;
  readonly secretArn: string;
  /** On which the pages of managed login are. */
  readonly host: Host;
}

export function addUserPool(scope: Construct, options: UserPoolOptions): UserPool {
  const { cognito, gatewayUrl, readSecret } = options;
  // Prefixes are unique in a region, among all accounts. The suffix differs between accounts and does not name them.
  const prefix = cognito.domainPrefix ?? `${options.tenantId}-${stackSuffix()}`;
  const hostName = cognito.customDomain?.domainName ?? `${prefix}.auth.${Aws.REGION}.amazoncognito.com`;
  const pool = newPool(scope, options, hostName);
  const target = addDomain(scope, pool, cognito, prefix);
  const providers = cognito.federation.map((each) => addProvider(scope, pool, each, readSecret));
  const client = newClient(scope, pool, cognito, gatewayUrl);
  for (const provider of providers) client.addResourceDependency(provider);
  // Without it, the pages of managed login answer that they are not available.
  new CfnManagedLoginBranding(scope, 'SignInPages', {
    userPoolId: pool.ref,
    clientId: client.ref,
    useCognitoProvidedValues: true,
  });
  return { pool, client, secretArn: storeSecret(scope, client), host: { name: hostName, target } };
}

function newPool(scope: Construct, options: UserPoolOptions, hostName: string): CfnUserPool {
  const { emailSignIn, emailSender } = options.cognito;
  const pool = new CfnUserPool(scope, 'UserPool', {
    userPoolName: `agent-flow-${options.tenantId}`,
    userPoolTier: 'ESSENTIALS',
    deletionProtection: options.isProtected ? 'ACTIVE' : 'INACTIVE',
    usernameAttributes: ['email'],
    usernameConfiguration: { caseSensitive: false },
    autoVerifiedAttributes: ['email'],
    // A new address replaces the former one only when it is verified.
    userAttributeUpdateSettings: { attributesRequireVerificationBeforeUpdate: ['email'] },
    adminCreateUserConfig: { allowAdminCreateUserOnly: true },
    // Nobody has a password, and nobody can set one by "forgot password".
    accountRecoverySetting: { recoveryMechanisms: [{ name: 'admin_only', priority: 1 }] },
    policies: {
      // Cognito requires PASSWORD in this list, and a policy for passwords.
      signInPolicy: {
        allowedFirstAuthFactors: ['PASSWORD', ...(emailSignIn ? ['EMAIL_OTP', 'WEB_AUTHN'] : [])],
      },
      passwordPolicy: {
        minimumLength: 20,
        requireLowercase: true,
        requireUppercase: true,
        requireNumbers: true,
        requireSymbols: true,
      },
    },
    // Cognito asks for no second factor after a code or a passkey.
    mfaConfiguration: 'OFF',
    ...(emailSignIn && { webAuthnRelyingPartyId: hostName, webAuthnUserVerification: 'required' }),
    emailConfiguration: emailSender
      ? { emailSendingAccount: 'DEVELOPER', from: emailSender.from, sourceArn: emailSender.sourceArn }
      : { emailSendingAccount: 'COGNITO_DEFAULT' },
  });
  pool.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
  return pool;
}

/** Returns the target of the DNS record, if the domain is one's own. */
function addDomain(
  scope: Construct,
  pool: CfnUserPool,
  { customDomain }: Cognito,
  prefix: string,
): string | undefined {
  const domain = new CfnUserPoolDomain(scope, 'SignInDomain', {
    userPoolId: pool.ref,
    domain: customDomain?.domainName ?? prefix,
    managedLoginVersion: 2,
    ...(customDomain && { customDomainConfig: { certificateArn: customDomain.certificateArn } }),
  });
  return customDomain && domain.attrCloudFrontDistribution;
}

/**
 * A confidential client: whoever has only its id cannot use it at the API of Cognito, where people could set passwords
 * and attributes. Tokens live as briefly as Cognito allows, since only the ID token is read, once.
 */
function newClient(
  scope: Construct,
  pool: CfnUserPool,
  { emailSignIn, federation, clientVersion }: Cognito,
  gatewayUrl: string,
): CfnUserPoolClient {
  return new CfnUserPoolClient(scope, `SignInClient${clientVersion > 1 ? clientVersion : ''}`, {
    userPoolId: pool.ref,
    clientName: 'agent-flow',
    generateSecret: true,
    allowedOAuthFlowsUserPoolClient: true,
    allowedOAuthFlows: ['code'],
    allowedOAuthScopes: ['openid', 'email', 'profile'],
    callbackUrLs: [`${gatewayUrl}/auth/callback`],
    logoutUrLs: [`${gatewayUrl}/auth/session`],
    supportedIdentityProviders: [...(emailSignIn ? ['COGNITO'] : []), ...federation.map(nameOf)],
    explicitAuthFlows: [...(emailSignIn ? ['ALLOW_USER_AUTH'] : []), 'ALLOW_REFRESH_TOKEN_AUTH'],
    // Whether an address has an account is not shown.
    preventUserExistenceErrors: 'ENABLED',
    enableTokenRevocation: true,
    // The time to look for a code in a mailbox.
    authSessionValidity: 15,
    idTokenValidity: 5,
    accessTokenValidity: 5,
    refreshTokenValidity: 60,
    tokenValidityUnits: { idToken: 'minutes', accessToken: 'minutes', refreshToken: 'minutes' },
  });
}

/** Functions get a reference to it, so that the secret is in no template and no parameter of a nested stack. */
function storeSecret(scope: Construct, client: CfnUserPoolClient): string {
  return new CfnSecret(scope, 'SignInClientSecret', {
    description: 'With which the service authenticates to the user pool',
    secretString: client.attrClientSecret,
  }).ref;
}

function addProvider(
  scope: Construct,
  pool: CfnUserPool,
  provider: Federated,
  readSecret: UserPoolOptions['readSecret'],
): CfnUserPoolIdentityProvider {
  const name = nameOf(provider);
  return new CfnUserPoolIdentityProvider(scope, `SignInWith${name.replaceAll('-', '')}`, {
    userPoolId: pool.ref,
    providerName: name,
    ...describe(provider, readSecret),
  });
}

const claims = { email: 'email', email_verified: 'email_verified', name: 'name' };
const samlClaims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';

/** The address of Google and of an OpenID Connect provider is verified if it says so; SAML and Entra say nothing. */
function describe(provider: Federated, readSecret: UserPoolOptions['readSecret']) {
  if (provider.type === 'saml')
    return {
      providerType: 'SAML',
      providerDetails: { MetadataURL: provider.metadataUrl },
      attributeMapping: { email: `${samlClaims}/emailaddress`, name: `${samlClaims}/name` },
    };
  const client = {
    client_id: provider.clientId,
    client_secret: readSecret(provider.clientSecretRef),
    authorize_scopes: 'openid email profile',
  };
  if (provider.type === 'google')
    return { providerType: 'Google', providerDetails: client, attributeMapping: claims };
  const oidc = (issuer: string) => ({
    providerType: 'OIDC',
    providerDetails: { ...client, oidc_issuer: issuer, attributes_request_method: 'GET' },
  });
  if (provider.type === 'oidc') return { ...oidc(provider.issuer), attributeMapping: claims };
  const { email, name } = claims;
  return {
    ...oidc(`https://login.microsoftonline.com/${provider.directoryId}/v2.0`),
    attributeMapping: { email, name },
  };
}
