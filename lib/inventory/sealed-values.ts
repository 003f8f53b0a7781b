// What an item has encrypted, with what it is bound to. Flows and snapshots, which may be in several items, are with their
// rows and runs.
import {
  type AttributeKey,
  type CallerData,
  decryptCallerData,
  encryptCallerData,
} from '#lib/caller-data.ts';
import { connectionContext } from '#lib/connection/encrypted-connection.ts';
import { decrypt, type EncryptionContext, encrypt } from '#lib/envelope.ts';
import type { WorkspaceScope } from '#lib/ids.ts';
import { secretContext } from '#lib/webhook-secret/encrypted-secret.ts';
import type { SecretScope } from '#lib/webhook-secret/signing-secret.ts';
import type { KindName } from './identify.ts';
import type { KnownItem } from './kind.ts';
import type { StoredItem } from './partitions.ts';

export interface SealedValue {
  readonly attribute: string;
  /** Throws `payload_unreadable` where the bytes were changed, moved or encrypted for another tenant. */
  readonly open: () => Promise<string>;
  readonly seal: (plain: string) => Promise<Uint8Array>;
}

/** `owner` is whom the item belongs to: of an item of a run, the owner of the flow. */
export function sealedValues(
  { kind, named }: KnownItem<KindName>,
  item: StoredItem,
  owner: WorkspaceScope,
): SealedValue[] {
  if (kind.name === 'connection') return [enveloped(item, contextOfConnection(named, item, owner))];
  if (kind.name === 'signing secret') return [enveloped(item, contextOfSecret(named, item, owner))];
  return (kind.callerData ?? []).flatMap((attribute) => {
    const data = item[attribute];
    return isCallerData(data) ? [ofCaller({ ...owner, pk: item.pk, sk: item.sk, attribute }, data)] : [];
  });
}

const isCallerData = (data: unknown): data is CallerData =>
  typeof data === 'string' || data instanceof Uint8Array;

const ofCaller = (key: AttributeKey, data: CallerData): SealedValue => ({
  attribute: key.attribute,
  open: async () => await decryptCallerData(key, data),
  seal: async (plain) => await encryptCallerData(key, plain),
});

const enveloped = ({ sealed }: StoredItem, context: EncryptionContext): SealedValue => ({
  attribute: 'sealed',
  open: async () => await decrypt(sealed instanceof Uint8Array ? sealed : new Uint8Array(), context),
  seal: async (plain) => await encrypt(plain, context),
});

type Named = Readonly<Record<string, string | undefined>>;

const contextOfConnection = ({ user }: Named, { name }: StoredItem, owner: WorkspaceScope) =>
  connectionContext(
    { ...owner, user: user ?? '' },
    user === undefined ? 'organization' : 'user',
    String(name),
  );

const contextOfSecret = (named: Named, { version }: StoredItem, owner: WorkspaceScope): EncryptionContext =>
  secretContext(toSecretScope(named, owner), Number(version));

/** Of the key of the item. */
export function toSecretScope({ subject, declared }: Named, owner: WorkspaceScope): SecretScope {
  if (subject === undefined) return owner;
  if (declared === undefined) return { ...owner, flowid: subject };
  return { ...owner, trigger: { trigger_id: subject, declared_at: declared } };
}
