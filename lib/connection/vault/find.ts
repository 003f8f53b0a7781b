// The value of a connection for a run, opened. It stays in the memory of the run and of the requests that carry it.
import { type ConnectionDeclaration, scopeOf } from '#lib/flow/connection.ts';
import { newPayloadId } from '#lib/ids.ts';
import { requestLog } from '#lib/log.ts';
import type { OauthUser } from '../credential.ts';
import type { Place, Sealed } from './connection.ts';
import { openConnection, sealConnection } from './seal.ts';
import { readConnection, replaceConnection } from './store.ts';

export interface OpenConnection {
  /** Names this very value in this process. */
  readonly id: string;
  readonly value: Sealed;
  /** Keeps tokens that were refreshed, unless somebody else has stored another value meanwhile. */
  readonly renew: (credential: OauthUser) => Promise<void>;
}

export type FindConnection = (
  name: string,
  declaration: ConnectionDeclaration,
) => Promise<OpenConnection | undefined>;

/** Two AWS calls: the item and its key. */
export const findIn =
  (place: Place): FindConnection =>
  async (name, declaration) => {
    const stored = await readConnection(place, scopeOf(declaration), name);
    if (!stored) return undefined;
    const value = await openConnection(place, stored);
    const { scope, version } = stored;
    return {
      id: `${place.orgid}/${place.workspaceid}/${name}/${version}`,
      value,
      renew: async (credential) => {
        try {
          const sealed = await sealConnection(place, scope, name, {
            ...value,
            type: 'oauth_user',
            credential,
          });
          await replaceConnection(place, { ...stored, version: newPayloadId(), sealed }, version);
        } catch (error) {
          // The run has its token; whether the next finds a refresh token that is still good, the server decides.
          requestLog({ connection: name, orgid: place.orgid }).error('refreshed tokens were not kept', {
            reason: error instanceof Error ? error.name : 'unknown',
          });
        }
      },
    };
  };
