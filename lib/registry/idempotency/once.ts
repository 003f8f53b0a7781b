// Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a request that is sent again is answered again, and done once.
import { ServiceError } from '#lib/errors.ts';
import { type Claim, claim, release } from './claim-items.ts';

interface Work<T> {
  readonly run: (claimed: Claim) => Promise<T>;
  /** What `run` returned, from its receipt and the same request. */
  readonly replay: (made: unknown) => T;
}

export async function once<T>(wanted: Claim, { run, replay }: Work<T>): Promise<T> {
  const found = await claim(wanted);
  if (!found) return await runClaimed(wanted, run);
  if (found.fingerprint !== wanted.fingerprint)
    throw new ServiceError('idempotency_key_reused', {
      detail: 'The Idempotency-Key came with another request before; use a new one for each request.',
    });
  if (found.made !== undefined) return replay(found.made);
  throw new ServiceError('idempotency_in_flight', {
    detail: 'The same request is still being worked on; send it again in a moment.',
  });
}

async function runClaimed<T>(claimed: Claim, run: Work<T>['run']): Promise<T> {
  try {
    return await run(claimed);
  } catch (error) {
    // Where this fails too, the claim runs out by itself, and the first error is what the caller needs.
    await release(claimed).catch(() => {});
    throw error;
  }
}
