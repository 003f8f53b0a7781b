// The KMS keys of a tenant. Deleting the flow key makes all flows of the tenant unreadable, so the stack
// never deletes keys, but for those of a deployment that failed before it ended for the first time.
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Tenant } from './tenant.ts';

/** Encrypts the data keys of flows and snapshots. */
export function flowKey(scope: Construct): Key {
  return new Key(scope, 'FlowKey', {
    description: 'Encrypts flows and run snapshots',
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
}

/**
 * The key of cursors is derived from it. KMS does not rotate HMAC keys; replacing the key only invalidates
 * the current cursors.
 */
export function cursorKey(scope: Construct): Key {
  return new Key(scope, 'CursorKey', {
    description: 'Authenticates cursors of lists',
    keySpec: KeySpec.HMAC_256,
    keyUsage: KeyUsage.GENERATE_VERIFY_MAC,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
}

/** Signs API keys and Agent Cards (ES256). */
export function signingKey(scope: Construct): Key {
  return new Key(scope, 'SigningKey', {
    description: 'Signs API keys and Agent Cards',
    keySpec: KeySpec.ECC_NIST_P256,
    keyUsage: KeyUsage.SIGN_VERIFY,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
}

/**
 * The keys that functions use. KMS does not rotate asymmetric keys, so a tenant can name keys in addition to that of the
 * stack, `own`.
 */
export function usedSigningKeys(scope: Construct, own: Key, { signingKeys: named = ['own'] }: Tenant) {
  const [signingKey = own, otherSigningKey] = named.map((name, n) =>
    name === 'own' ? own : Key.fromKeyArn(scope, `SigningKey${n + 1}`, name),
  );
  return { signingKey, otherSigningKey };
}
