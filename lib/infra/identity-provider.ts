// The client of the identity provider of a tenant: one that the tenant file names, or that of the user pool.
import { CfnOutput, SecretValue } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { readEmailDomains, type SignIn } from './sign-in.ts';
import type { Tenant } from './tenant.ts';
import { addUserPool } from './user-pool.ts';

export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  /** A reference to Secrets Manager; none for a public client. */
  readonly clientSecret: string | undefined;
  /** JSON: the domains whose addresses count without `email_verified`, by the name of the federated provider. */
  readonly emailDomains?: string | undefined;
  /** The user pool in which people who are invited get an account; none if they sign in elsewhere alone. */
  readonly accounts?: { readonly id: string; readonly arn: string } | undefined;
}

interface IdentityProviderOptions {
  readonly gatewayUrl: string;
  /** Whether a user pool has deletion protection. */
  readonly isProtected: boolean;
}

export function identityProvider(
  scope: Construct,
  { id, signIn }: Tenant,
  { gatewayUrl, isProtected }: IdentityProviderOptions,
): IdentityProvider | undefined {
  if (!signIn) return undefined;
  if ('cognito' in signIn) return userPoolProvider(scope, id, signIn, { gatewayUrl, isProtected });
  const { issuer, clientId, clientSecretRef } = signIn;
  return { issuer, clientId, clientSecret: clientSecretRef && readSecret(id, clientSecretRef) };
}

function userPoolProvider(
  scope: Construct,
  id: string,
  { cognito }: Extract<SignIn, { cognito: unknown }>,
  options: IdentityProviderOptions,
): IdentityProvider {
  const { pool, client, secretArn, host } = addUserPool(scope, {
    tenantId: id,
    cognito,
    ...options,
    readSecret: (name) => readSecret(id, name),
  });
  const outputs = {
    UserPoolId: pool.ref,
    SignInHost: host.name,
    // What the other side of a federation asks for.
    FederationRedirectUri: `https://${host.name}/oauth2/idpresponse`,
    SamlAcsUrl: `https://${host.name}/saml2/idpresponse`,
    SamlEntityId: `urn:amazon:cognito:sp:${pool.ref}`,
    SignInHostTarget: host.target,
  };
  for (const [name, value] of Object.entries(outputs))
    if (value !== undefined) new CfnOutput(scope, name, { value });
  const emailDomains = readEmailDomains(cognito.federation);
  return {
    issuer: pool.attrProviderUrl,
    clientId: client.ref,
    clientSecret: SecretValue.secretsManager(secretArn).unsafeUnwrap(),
    accounts: cognito.emailSignIn ? { id: pool.ref, arn: pool.attrArn } : undefined,
    emailDomains: Object.keys(emailDomains).length > 0 ? JSON.stringify(emailDomains) : undefined,
  };
}

/** CloudFormation reads the secret when the stack is deployed; it is in no template. */
const readSecret = (tenantId: string, name: string): string =>
  SecretValue.secretsManager(`agent-flow/${tenantId}/${name}`).unsafeUnwrap();
