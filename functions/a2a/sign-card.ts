import { setTimeout } from 'node:timers/promises';
import { cardToSign, signStoredCard } from '#lib/registry/card/sign-card.ts';
import type { SignedForm } from '#lib/registry/card/signature-items.ts';

/** Lambda logs what it rejects with. */
export const handler = async (event: unknown): Promise<SignedForm | null> =>
  (await signStoredCard(cardToSign.parse(event), { now: Date.now, pause: setTimeout })) ?? null;
