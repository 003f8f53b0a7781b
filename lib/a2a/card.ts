// The Agent Card as it is served: the signed text, with what caches need.
import { readCard } from '#lib/registry/published-card.ts';
import type { Status, StoredRow } from '#lib/registry/stored-row.ts';

/** `status` picks the URL, and with it the signature, of the door that was asked. */
export function cardText(
  row: StoredRow,
  status: Status,
): { readonly text: string; readonly headers: Record<string, string> } {
  return {
    text: JSON.stringify(readCard(row, status)),
    headers: {
      // With the id, as the live URL leads to another build after each promotion.
      etag: `"${row.a2aregistryid}-${row.version}-${status}"`,
      'last-modified': new Date(row.updated_at).toUTCString(),
      'cache-control': `${row.visibility === 'public' ? 'public' : 'private'}, max-age=60`,
    },
  };
}
