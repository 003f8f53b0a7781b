// The extensions that a stored card declares. Each call of an agent reads them, so this file does without the schema of
// the whole card.
import * as z from 'zod';
import type { StoredRow } from './stored-row.ts';

/** The extensions that the card declares, without those of the extended card. */
export const readDeclaredExtensions = ({ card }: Pick<StoredRow, 'card'>): readonly DeclaredExtension[] =>
  // Most cards declare none.
  card.includes('"extensions"') ? declaring.parse(JSON.parse(card)).capabilities.extensions : [];

const declaring = /* @__PURE__ */ z.lazy(() =>
  z.object({
    capabilities: z.object({
      extensions: z.array(z.object({ uri: z.string(), required: z.boolean().default(false) })).default([]),
    }),
  }),
);
type DeclaredExtension = z.infer<typeof declaring>['capabilities']['extensions'][number];
