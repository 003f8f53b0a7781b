// The Cognito user pool of a tenant: the accounts of people, and the domain of its pages. Nobody can sign up; what a person
// may do is up to the membership that an invitation gives (docs/operations.md, "Cognito").
import { CfnUserPool, CfnUserPoolDomain } from 'aws-cdk-lib/aws-cognito';
import { Aws, CfnOutput, RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Cognito } from './sign-in.ts';
import { stackSuffix } from './stack-suffix.ts';
import type { Tenant } from './tenant.ts';

/** None if people do not sign in with Cognito. `isProtected`: with deletion protection. */
export function addUserPool(
  scope: Construct,
  { id, signIn }: Tenant,
  isProtected: boolean,
): CfnUserPool | undefined {
  if (!signIn || !('cognito' in signIn)) return undefined;
  const { cognito } = signIn;
  // Prefixes are unique in a region, among all accounts. The suffix differs between accounts and does not name them.
  const prefix = cognito.domainPrefix ?? `${id}-${stackSuffix()}`;
  const host = cognito.customDomain?.domainName ?? `${prefix}.auth.${Aws.REGION}.amazoncognito.com`;
  const pool = newPool(scope, { id, cognito, host, isProtected });
  const target = addDomain(scope, pool, cognito, prefix);
  addOutputs(scope, {
    SignInHost: host,
    // What the other side of a federation asks for.
    FederationRedirectUri: `https://${host}/oauth2/idpresponse`,
    SamlAcsUrl: `https://${host}/saml2/idpresponse`,
    SamlEntityId: `urn:amazon:cognito:sp:${pool.ref}`,
    // Where the DNS record of a domain of one's own points.
    SignInHostTarget: target,
  });
  return pool;
}

function addOutputs(scope: Construct, outputs: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(outputs))
    if (value !== undefined) new CfnOutput(scope, name, { value });
}

interface PoolOptions {
  readonly id: string;
  readonly cognito: Cognito;
  /** On which the pages of managed login are. */
  readonly host: string;
  readonly isProtected: boolean;
}

function newPool(scope: Construct, { id, cognito, host, isProtected }: PoolOptions): CfnUserPool {
  const { emailSignIn, emailSender } = cognito;
  const pool = new CfnUserPool(scope, 'UserPool', {
    userPoolName: `agent-flow-${id}`,
    userPoolTier: 'ESSENTIALS',
    deletionProtection: isProtected ? 'ACTIVE' : 'INACTIVE',
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
    ...(emailSignIn && { webAuthnRelyingPartyId: host, webAuthnUserVerification: 'required' }),
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
