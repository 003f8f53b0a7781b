// What becomes of each kind of item when an organisation moves to another tenant.
import type { ControlKind } from '#lib/inventory/control-kinds.ts';
import type { KindName } from '#lib/inventory/identify.ts';
import type { RunsKind } from '#lib/inventory/runs-kinds.ts';

/**
 * `moves`: it is in the archive. `secret`: only if the operator asks for it. `made`: it follows from other items, and is
 * made again. `stays`: it has no meaning at the target, and expires at the source.
 */
type Move = 'moves' | 'secret' | 'made' | 'stays';

const moves: Readonly<Record<ControlKind | RunsKind, Move>> = {
  'registry row': 'moves',
  'flow chunk': 'made',
  'row history': 'moves',
  'card signatures': 'made',
  flow: 'moves',
  'URL owner': 'made',
  posting: 'made',
  'idempotency record': 'stays',
  connection: 'secret',
  'API key': 'moves',
  member: 'moves',
  invitation: 'moves',
  organisation: 'moves',
  workspace: 'moves',
  session: 'stays',
  grant: 'stays',
  'authorization state': 'stays',
  trigger: 'moves',
  environment: 'moves',
  budgets: 'moves',
  'signing secret': 'secret',
  'state of a sink': 'stays',
  migration: 'stays',
  'word posting': 'made',
  'build posting': 'made',
  'live posting': 'made',
  'public posting': 'made',
  'former search document': 'stays',
  run: 'moves',
  'run event': 'moves',
  snapshot: 'stays',
  'snapshot chunk': 'stays',
  'first snapshot chunk': 'made',
  'kept values': 'moves',
  'response chunk': 'moves',
  callback: 'moves',
  'push configuration': 'stays',
  'configuration link': 'stays',
  'start key': 'stays',
  'missing connection': 'stays',
  context: 'stays',
  file: 'stays',
  'file usage': 'stays',
  'sent event': 'stays',
  'event name or wait': 'stays',
  'stored value': 'moves',
  'dead letter': 'stays',
  'place of a dead letter': 'stays',
  'workspace with dead letters': 'stays',
  permits: 'stays',
  'request count': 'stays',
  'audit record': 'moves',
  usage: 'moves',
  'month with usage': 'moves',
};

export const isMoved = (kind: KindName, withSecrets: boolean): boolean =>
  moves[kind] === 'moves' || (moves[kind] === 'secret' && withSecrets);

/** Whether it is lost for the target: what is made again is not. */
export const isLeft = (kind: KindName, withSecrets: boolean): boolean =>
  !isMoved(kind, withSecrets) && moves[kind] !== 'made';
