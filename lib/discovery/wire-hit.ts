// A found agent as callers see it: also those of other organisations, so it shows what the agent's card shows
// and nothing of its inside.
import { cardUrl, hostedUrl, readCard } from '#lib/registry/card/published-card.ts';
import type { Hit } from './search.ts';

export const toWireHit = ({ row, score }: Hit) => ({
  score,
  a2aregistryid: row.a2aregistryid,
  flowid: row.flowid,
  orgid: row.orgid,
  status: row.status,
  visibility: row.visibility,
  agent_card: readCard(row),
  tags: row.tags,
  hosted_url: hostedUrl(row, row.status),
  card_url: cardUrl(row, row.status),
});
