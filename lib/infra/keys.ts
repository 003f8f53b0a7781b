// The three KMS keys of a tenant. Deleting the flow key is how a tenant's flows are erased for good, so the stack never deletes keys.
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Tenant } from './tenant.ts';

/** Wraps the data keys that seal flow payloads and snapshots. */
export function flowKey(scope: Construct): Key {
  return new Key(scope, 'FlowKey', {
    description: 'Seals flows and run snapshots',
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
}

/** The key of cursors is derived from it. KMS does not rotate HMAC keys by itself; another key only makes the cursors of the moment invalid. */
export function cursorKey(scope: Construct): Key {
  return new Key(scope, 'CursorKey', {
    description: 'Authenticates cursors of lists',
    keySpec: KeySpec.HMAC_256,
    keyUsage: KeyUsage.GENERATE_VERIFY_MAC,
    removalPolicy: RemovalPolicy.RETAIN,
  });
}

/** Signs API keys and Agent Cards (ES256). KMS cannot rotate asymmetric keys by itself, so a tenant can name keys beside the stack's own. */
export function signingKeys(scope: Construct, { signingKeys: named = ['own'] }: Tenant) {
  const own = new Key(scope, 'SigningKey', {
    description: 'Signs API keys and Agent Cards',
    keySpec: KeySpec.ECC_NIST_P256,
    keyUsage: KeyUsage.SIGN_VERIFY,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  const [signingKey = own, otherSigningKey] = named.map((name, n) =>
    name === 'own' ? own : Key.fromKeyArn(scope, `SigningKey${n + 1}`, name),
  );
  return { signingKey, otherSigningKey };
}
