// Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a request that is sent again is answered
// again, and done once. One item per organisation, caller and key: a claim while the request is in progress,
// which becomes a receipt in the very transaction that creates the resource. So there is never a resource
// without its receipt, nor a receipt without its resource.
import { ServiceError } from '#lib/errors.ts';
import { controlTable } from './client.ts';
import { type Condition, readString } from './conditions.ts';
import { claimItem, deleteItemIf } from './items.ts';
import type { TransactionAction } from './transactions.ts';

export interface Claim {
  readonly orgid: string;
  /** The id of the API key. */
  readonly callerid: string;
  readonly key: string;
  /** A hash of the request; another request under the same key is refused. */
  readonly fingerprint: string;
  /** Identifies this attempt, so that an attempt whose claim has expired cannot complete that of another. */
  readonly token: string;
  readonly at: string;
}

interface IdempotentWork<T> {
  readonly run: (claim: Claim) => Promise<T>;
  /** Makes what `run` returned, from its receipt and the same request. */
  readonly replay: (receipt: unknown) => T;
}

export async function runOnce<T>(claim: Claim, { run, replay }: IdempotentWork<T>): Promise<T> {
  const earlier = await takeClaim(claim);
  if (!earlier) return await runClaimed(claim, run);
  if (earlier.fingerprint !== claim.fingerprint)
    throw new ServiceError('idempotency_key_reused', {
      detail: 'The Idempotency-Key came with another request before; use a new one for each request.',
    });
  if (earlier.receipt !== undefined) return replay(earlier.receipt);
  throw new ServiceError('idempotency_in_flight', {
    detail: 'The same request is still being worked on; send it again in a moment.',
  });
}

async function runClaimed<T>(claim: Claim, run: IdempotentWork<T>['run']): Promise<T> {
  try {
    return await run(claim);
  } catch (error) {
    // If this fails too, the claim expires, and the caller needs the first error.
    await releaseClaim(claim).catch(() => {});
    throw error;
  }
}

/** Longer than a function may run, so an older claim is that of a function which died. */
export const claimSeconds = 25;
const receiptSeconds = 86_400;

interface EarlierClaim {
  readonly fingerprint: string | undefined;
  /** Undefined while the request is in progress. */
  readonly receipt: unknown;
}

/** One call. Undefined when the claim is ours, else the claim or receipt that exists. */
export async function takeClaim(claim: Claim): Promise<EarlierClaim | undefined> {
  const now = Date.parse(claim.at);
  try {
    const earlier = await claimItem(
      controlTable,
      { ...claimAttributes(claim), claimed_until: now + claimSeconds * 1_000 },
      {
        // DynamoDB removes expired items only after some time, up to days.
        ConditionExpression:
          'attribute_not_exists(pk) OR #ttl < :seconds OR (attribute_not_exists(made) AND claimed_until < :now)',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':seconds': Math.floor(now / 1_000), ':now': now },
      },
    );
    if (!earlier) return undefined;
    const receipt = readString(earlier, 'made');
    return {
      fingerprint: readString(earlier, 'fingerprint'),
      receipt: receipt === undefined ? undefined : JSON.parse(receipt),
    };
  } catch (error) {
    // The request that has the key is being committed at this moment.
    if (error instanceof Error && error.name === 'TransactionConflictException')
      return { fingerprint: claim.fingerprint, receipt: undefined };
    throw error;
  }
}

/**
 * The action of a transaction that turns the claim into a receipt, with what is needed to give the same
 * answer again. It fails when the claim is no longer ours.
 */
export const receiptAction = (claim: Claim, receipt: object): TransactionAction => ({
  Put: { Item: { ...claimAttributes(claim), made: JSON.stringify(receipt) }, ...isStillClaimed(claim) },
});

/** Gives the key back after a failure, unless the resource was created after all. */
const releaseClaim = async (claim: Claim): Promise<boolean> =>
  await deleteItemIf(controlTable, claimKey(claim), isStillClaimed(claim));

const isStillClaimed = ({ token }: Claim): Condition => ({
  ConditionExpression: '#token = :token AND attribute_not_exists(made)',
  ExpressionAttributeNames: { '#token': 'token' },
  ExpressionAttributeValues: { ':token': token },
});

/** One partition per caller; the sort key is the client's. */
const claimKey = ({ orgid, callerid, key }: Claim) => ({ pk: `IDEM#${orgid}#${callerid}`, sk: key });

const claimAttributes = (claim: Claim) => ({
  ...claimKey(claim),
  fingerprint: claim.fingerprint,
  token: claim.token,
  ttl: Math.floor(Date.parse(claim.at) / 1_000) + receiptSeconds,
});
