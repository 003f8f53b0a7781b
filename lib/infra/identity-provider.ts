// The client of the identity provider of a tenant: one that the tenant file names, or that of the user pool.
import type { CfnUserPool } from 'aws-cdk-lib/aws-cognito';
import { CfnOutput, SecretValue } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { readEmailDomains, type SignIn } from './sign-in.ts';
import { addSignInClient } from './sign-in-client.ts';
import type { Tenant } from './tenant.ts';

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
  /** That of the tenant, if people sign in with Cognito. */
  readonly userPool: CfnUserPool | undefined;
}

export function identityProvider(
  scope: Construct,
  { id, signIn }: Tenant,
  { gatewayUrl, userPool }: IdentityProviderOptions,
): IdentityProvider | undefined {
  if (!signIn) return undefined;
  if (!('cognito' in signIn)) {
    const { issuer, clientId, clientSecretRef } = signIn;
    return { issuer, clientId, clientSecret: clientSecretRef && readSecret(id, clientSecretRef) };
  }
  if (!userPool) throw new Error(`Tenant ${id}: people sign in with Cognito, but there is no user pool.`);
  return userPoolProvider(scope, id, signIn, { gatewayUrl, userPool });
}

function userPoolProvider(
  scope: Construct,
  id: string,
  { cognito }: Extract<SignIn, { cognito: unknown }>,
  { gatewayUrl, userPool: pool }: { readonly gatewayUrl: string; readonly userPool: CfnUserPool },
): IdentityProvider {
  const { client, secretArn } = addSignInClient(scope, pool, {
    cognito,
    gatewayUrl,
    readSecret: (name) => readSecret(id, name),
  });
  // `npm run members` reads it.
  new CfnOutput(scope, 'UserPoolId', { value: pool.ref });
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
