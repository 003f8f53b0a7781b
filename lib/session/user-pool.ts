// The accounts of the tenant's user pool of Amazon Cognito, with which people sign in by e-mail code or passkey. Nobody
// can create one for themselves.
import {
  AdminCreateUserCommand,
  CognitoIdentityProviderClient,
} from '@aws-sdk/client-cognito-identity-provider';
import { clientConfig } from '#lib/aws.ts';
import { ServiceError } from '#lib/errors.ts';

const cognito = new CognitoIdentityProviderClient(clientConfig);

/**
 * An account without a password; none is created for an address that has one. `email_verified` allows codes to be
 * sent there, and whoever enters one has shown that the address is theirs. Cognito sends no mail.
 */
export async function createAccount(userPoolId: string, email: string): Promise<void> {
  const command = new AdminCreateUserCommand({
    UserPoolId: userPoolId,
    Username: email,
    UserAttributes: [
      { Name: 'email', Value: email },
      { Name: 'email_verified', Value: 'true' },
    ],
    MessageAction: 'SUPPRESS',
  });
  try {
    await cognito.send(command);
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : '';
    if (name === 'UsernameExistsException') return;
    if (name !== 'InvalidParameterException') throw cause;
    throw new ServiceError('validation_failed', {
      errors: [{ pointer: '/body/email', detail: 'must be an address that Amazon Cognito takes' }],
      cause,
    });
  }
}
