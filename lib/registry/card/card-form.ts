// The forms in which a card is signed, each with its own text: for the test and for the live URL, and the extended card
// for both.
import { hash } from 'node:crypto';
import type { AgentCard } from '../row/agent-card.ts';
import type { Status, StoredRow } from '../row/stored-row.ts';
import { readCard, readExtendedCard } from './published-card.ts';

export const cardForms = ['test', 'live', 'extended_test', 'extended_live'] as const;
export type CardForm = (typeof cardForms)[number];

export const extendedForm = (status: Status): CardForm => `extended_${status}`;

/** Without its signatures. */
export function readCardForm(row: StoredRow, form: CardForm): AgentCard {
  switch (form) {
    case 'test':
    case 'live':
      return readCard(row, form);
    case 'extended_test':
      return readExtendedCard(row, 'test');
    case 'extended_live':
      return readExtendedCard(row, 'live');
  }
}

/** Of all that signatures cover: the card with its URLs, and the address at which their header says that the keys are. */
export const computeCardDigest = (row: StoredRow, card: AgentCard): string =>
  hash('sha256', JSON.stringify([row.gateway_url, card]), 'base64url');
