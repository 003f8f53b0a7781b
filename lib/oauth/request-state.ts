// What one request to the authorization server has read and wants to write. oidc-provider stores one thing after the
// other; here its writes are collected and become one transaction before the answer is sent, so that a request that
// fails changes nothing and can be sent again with the same code or refresh token.
import { AsyncLocalStorage } from 'node:async_hooks';
import { controlTable } from '#lib/dynamo/client.ts';
import { isFailedConditionReason } from '#lib/dynamo/conditions.ts';
import { type TransactionAction, transactWrite } from '#lib/dynamo/transactions.ts';
import { ServiceError } from '#lib/errors.ts';
import type { StoredGrant } from './grant.ts';

export interface Consent {
  /** The authorization request that is answered. */
  readonly uid: string;
  /** What is granted; undefined for a refusal. */
  readonly grant: StoredGrant | undefined;
  /** When the person has signed in, in seconds since 1970. */
  readonly signedInAt: number;
}

interface RequestState {
  readonly writes: TransactionAction[];
  /** The answer of the person, for the request that resumes the authorization. */
  readonly consent?: Consent;
  /** The grant that the request is about, once it is read. */
  grant?: StoredGrant | undefined;
  /** The id of the client that registers. */
  clientId?: string;
  /** The metadata documents of clients that were fetched, by their addresses. */
  readonly documents: Map<string, Promise<Response>>;
  /** Why the request failed, where it is no fault of the client. */
  failure?: unknown;
}

const storage = new AsyncLocalStorage<RequestState>();

/** Undefined outside of requests that oidc-provider answers. */
export const findRequestState = (): RequestState | undefined => storage.getStore();

export function requestState(): RequestState {
  const state = findRequestState();
  if (state) return state;
  throw new Error('There is no request to the authorization server.');
}

/** Runs the work of one request. Nothing is written yet. */
export async function withRequestState<T>(
  consent: Consent | undefined,
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly state: RequestState }> {
  const state: RequestState = { writes: [], documents: new Map(), ...(consent && { consent }) };
  return { result: await storage.run(state, run), state };
}

/**
 * False if a condition failed: what the request wanted to use up has been used by another request. Throws
 * `dependency_unavailable` if other writers were in the way.
 */
export async function commit(writes: readonly TransactionAction[]): Promise<boolean> {
  if (writes.length === 0) return true;
  const reasons = await transactWrite(controlTable, writes);
  if (!reasons) return true;
  if (reasons.some(isFailedConditionReason)) return false;
  throw new ServiceError('dependency_unavailable', { cause: 'The items are contended.' });
}
