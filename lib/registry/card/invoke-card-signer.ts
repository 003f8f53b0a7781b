// Invokes the function that signs cards.
import { requireEnv } from '#lib/env.ts';
import { ServiceError } from '#lib/errors.ts';
import { FunctionUnavailable, invokeFunction } from '#lib/invoke-function.ts';
import type { CardToSign } from './sign-card.ts';
import { type SignedForm, signedForm } from './signature-items.ts';

/** Longer than the function may run. */
const timeoutMs = 12_000;

/** Undefined if there is no such build. Rejects with `dependency_unavailable` if the function fails or does not answer. */
export async function invokeCardSigner(request: CardToSign): Promise<SignedForm | undefined> {
  try {
    const text = await invokeFunction(requireEnv('CARD_SIGNER_NAME'), JSON.stringify(request), {
      signal: AbortSignal.timeout(timeoutMs),
    });
    return signedForm.nullable().parse(JSON.parse(text)) ?? undefined;
  } catch (cause) {
    if (cause instanceof FunctionUnavailable) throw new ServiceError('dependency_unavailable', { cause });
    throw cause;
  }
}
