// Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a request that is sent again is answered again, and done once.
import { ServiceError } from '#lib/errors.ts';
import type { StoredRow } from '../stored.ts';
import { type Claim, claim, type Made, release } from './store.ts';

interface Work {
  readonly run: (claimed: Claim) => Promise<StoredRow>;
  /** The row as `run` returned it, from its receipt and the same request. */
  readonly replay: (made: Made) => StoredRow;
}

export async function once(wanted: Claim, { run, replay }: Work): Promise<StoredRow> {
  const found = await claim(wanted);
  if (!found) return await runClaimed(wanted, run);
  if (found.fingerprint !== wanted.fingerprint)
    throw new ServiceError('idempotency_key_reused', {
      detail: 'The Idempotency-Key came with another request before; use a new one for each request.',
    });
  if (found.made) return replay(found.made);
  throw new ServiceError('idempotency_in_flight', {
    detail: 'The same request is still being worked on; send it again in a moment.',
  });
}

async function runClaimed(claimed: Claim, run: Work['run']): Promise<StoredRow> {
  try {
    return await run(claimed);
  } catch (error) {
    // Where this fails too, the claim runs out by itself, and the first error is what the caller needs.
    await release(claimed).catch(() => {});
    throw error;
  }
}
