// The handler of Agent Cards. It uses the same access rule as the agents, without loading the engine.
import { requireRegistryAccess } from '#lib/access/a2a-registry-access.ts';
import { boundedMap } from '#lib/bounded-map.ts';
import { catalogLink } from '#lib/discovery/catalog-link.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Answer } from '#lib/http/answer.ts';
import { digestHeaders, notModified, wantsCurrent } from '#lib/http/conditional.ts';
import { anyOrigin } from '#lib/http/cors.ts';
import type { Request } from '#lib/http/request.ts';
import { toLegacyCard } from '#lib/registry/card/legacy-card.ts';
import { hostedUrl, readCard } from '#lib/registry/card/published-card.ts';
import { readSignedCard } from '#lib/registry/card/read-signed-card.ts';
import type { SignableRow } from '#lib/registry/card/signature-items.ts';
import type { Status, StoredRow } from '#lib/registry/row/stored-row.ts';

/** Finds the agent that a path names. */
type FindAgent<P> = (params: P) => Promise<SignableRow | undefined>;

/** A card as it is served, and what decides who may read it. */
interface ServedCard extends Pick<StoredRow, 'orgid' | 'visibility'> {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * How long a process answers with a card that it has read: a twelfth of what the answer allows to caches of clients. A
 * promotion, an update and another visibility have their effect on cards after that.
 */
export const rememberedMs = 5_000;
/** The largest card is 150 KB. */
const rememberedCharactersMax = 8_000_000;

/**
 * The agent's signed card, for callers whom its visibility admits; a public agent's card needs no credential.
 * The status selects the card with the URL, and so the signature, of the address that was requested.
 */
export function createCardHandler<P>(findAgent: FindAgent<P>, selectStatus: (row: StoredRow) => Status) {
  const remembered = boundedMap<string, ServedCard>({
    entriesMax: 1_000,
    sizeMax: rememberedCharactersMax,
    sizeOf: ({ text }) => text.length,
    keptMs: rememberedMs,
  });
  return async (request: Request<P>): Promise<Answer<never>> => {
    const name = JSON.stringify([request.address ?? '', request.params]);
    const caller = request.isAnonymous ? undefined : request.caller;
    const known = wantsCurrent(request.headers) ? undefined : remembered.get(name);
    // Checked for each request, also of what is remembered.
    const card = known && requireRegistryAccess(known, caller);
    const served = card ?? (await readCurrent(findAgent, selectStatus, request));
    if (!card) remembered.set(name, served);
    const { text, headers } = served;
    return notModified(request.headers, headers) ?? { text, contentType: 'application/json', headers };
  };
}

/** A card that is updated while it is signed is read again. */
const triesMax = 3;

async function readCurrent<P>(
  findAgent: FindAgent<P>,
  selectStatus: (row: StoredRow) => Status,
  { params, address, caller, isAnonymous }: Request<P>,
): Promise<ServedCard> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const found = await findAgent(params);
    const row = requireRegistryAccess(found?.row, isAnonymous ? undefined : caller);
    const status = selectStatus(row);
    if (address === 'v0.3') return serve(row, toLegacyCard(readCard(row, status), legacyUrl(row, status)));
    const signed = await readSignedCard({ row, stored: found?.stored ?? {} }, status);
    if (signed) return serve(row, signed.card, signed.signedAt);
  }
  throw new ServiceError('dependency_unavailable', { cause: 'The card was changed while it was signed.' });
}

const legacyUrl = (row: StoredRow, status: Status): string => `${hostedUrl(row, status)}v0.3`;

function serve(row: StoredRow, card: object, signedAt = ''): ServedCard {
  const { orgid, visibility, updated_at } = row;
  const text = JSON.stringify(card);
  const changedAt = signedAt > updated_at ? signedAt : updated_at;
  const headers = {
    ...digestHeaders(text),
    'last-modified': new Date(changedAt).toUTCString(),
    'cache-control': `${visibility === 'public' ? 'public' : 'private'}, max-age=60`,
    // What everybody may read, every page may read.
    ...(visibility === 'public' && { ...anyOrigin, ...catalogLink() }),
  };
  return { orgid, visibility, text, headers };
}
