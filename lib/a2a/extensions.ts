// The extensions of a request (A2A v1.0.1 §4.6): which ones the client activates, and whether it may call without
// others.
import type { Request } from '#lib/http/request.ts';
import { readDeclaredExtensions } from '#lib/registry/row/declared-extensions.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { A2ARefusal } from './errors.ts';

export interface RequestExtensions {
  /** URIs that the card declares and the client has sent, in the order of the card. */
  readonly active: readonly string[];
  /** URIs that the card requires and the client has not sent. */
  readonly missing: readonly string[];
  /** The name of the header that has them. */
  readonly header: string;
}

/** URIs that the card does not declare are ignored (§4.6.3). */
export function readExtensions(
  row: StoredRow,
  { address, headers }: Pick<Request, 'address' | 'headers'>,
): RequestExtensions {
  const isLegacy = address === 'v0.3';
  const value = (isLegacy && headers['x-a2a-extensions']) || headers['a2a-extensions'];
  const sent = new Set(value?.split(',').map((uri) => uri.trim()));
  const declared = readDeclaredExtensions(row);
  return {
    active: declared.filter(({ uri }) => sent.has(uri)).map(({ uri }) => uri),
    missing: declared.filter(({ uri, required }) => required && !sent.has(uri)).map(({ uri }) => uri),
    header: isLegacy ? 'X-A2A-Extensions' : 'A2A-Extensions',
  };
}

/** Throws EXTENSION_SUPPORT_REQUIRED (§3.3.4), with the URIs as the client can send them. */
export function requireExtensions({ missing, header }: RequestExtensions): void {
  if (missing.length === 0) return;
  const [noun, uris] = [missing.length > 1 ? 'extensions' : 'extension', missing.join(',')];
  throw new A2ARefusal(
    'EXTENSION_SUPPORT_REQUIRED',
    `The agent requires the ${noun} ${missing.join(', ')}. Send the header "${header}: ${uris}".`,
    [],
    { extensions: uris },
  );
}

/** The header of the answer. A request that is refused for what it does not activate has activated nothing. */
export const extensionHeaders = ({ active, missing, header }: RequestExtensions): Record<string, string> =>
  active.length > 0 && missing.length === 0 ? { [header.toLowerCase()]: active.join(',') } : {};
