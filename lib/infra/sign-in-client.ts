// The client of the Cognito user pool of a tenant, and with whom people may sign in: by e-mail code, passkey or a federated
// provider.
import {
  CfnManagedLoginBranding,
  type CfnUserPool,
  CfnUserPoolClient,
  CfnUserPoolIdentityProvider,
} from 'aws-cdk-lib/aws-cognito';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { type Cognito, type Federated, nameOf } from './sign-in.ts';

interface SignInClientOptions {
  readonly cognito: Cognito;
  readonly gatewayUrl: string;
  /** A reference to the secret of that name in Secrets Manager. */
  readonly readSecret: (name: string) => string;
}

export interface SignInClient {
  readonly client: CfnUserPoolClient;
  readonly secretArn: string;
}

export function addSignInClient(
  scope: Construct,
  pool: CfnUserPool,
  { cognito, gatewayUrl, readSecret }: SignInClientOptions,
): SignInClient {
  const providers = cognito.federation.map((each) => addProvider(scope, pool, each, readSecret));
  const client = newClient(scope, pool, cognito, gatewayUrl);
  for (const provider of providers) client.addResourceDependency(provider);
  // Without it, the pages of managed login answer that they are not available.
  new CfnManagedLoginBranding(scope, 'SignInPages', {
    userPoolId: pool.ref,
    clientId: client.ref,
    useCognitoProvidedValues: true,
  });
  return { client, secretArn: storeSecret(scope, client) };
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
  readSecret: SignInClientOptions['readSecret'],
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
function describe(provider: Federated, readSecret: SignInClientOptions['readSecret']) {
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
