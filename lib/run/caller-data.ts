// What callers send to start or to continue a run, as the runs table stores it: the input, the address of the
// callback, and answers. It is encrypted under a data key of the workspace, and bound to the key of its item
// and the name of its attribute, so that bytes that were moved to another run or item do not decrypt. Code
// that only looks at a run needs none of it, and so no key.
import type { DataKeyCache } from '#lib/data-key-cache.ts';
import { requireEnv } from '#lib/env.ts';
import type { EncryptionContext } from '#lib/envelope.ts';
import { ServiceError } from '#lib/errors.ts';
import { type EventItem, runKey, type StoredEvent, type StoredRun } from './stored-run.ts';

/** A string in memory, and in items that an earlier version of the service has written. */
type CallerData = string | Uint8Array;

type RunScope = Pick<StoredRun, 'run_id' | 'orgid' | 'workspaceid'>;
type HeaderData = Pick<StoredRun, 'input' | 'callback_url'>;

/** Encrypts what a header, or a change of one, holds of the caller. */
export async function encryptHeader<H extends Partial<HeaderData>>(run: RunScope, header: H): Promise<H> {
  const { input, callback_url } = header;
  if (typeof input !== 'string' && typeof callback_url !== 'string') return header;
  return {
    ...header,
    ...(input !== undefined && { input: await encrypt(headerKey(run, 'input'), input) }),
    ...(callback_url !== undefined && {
      callback_url: await encrypt(headerKey(run, 'callback_url'), callback_url),
    }),
  };
}

export async function encryptEvent(run: RunScope, event: EventItem): Promise<EventItem> {
  if (typeof event.answer !== 'string') return event;
  return { ...event, answer: await encrypt(answerKey(run, event.generation), event.answer) };
}

/** The input of the flow, as JSON. */
export async function decryptInput(run: StoredRun): Promise<string | undefined> {
  return run.input === undefined ? undefined : await decryptCallerData(headerKey(run, 'input'), run.input);
}

/** The same run, with its input decrypted. */
export async function withInput(run: StoredRun): Promise<StoredRun> {
  const input = await decryptInput(run);
  return input === undefined ? run : { ...run, input };
}

export async function decryptCallbackUrl(run: StoredRun): Promise<string | undefined> {
  if (run.callback_url === undefined) return undefined;
  return await decryptCallerData(headerKey(run, 'callback_url'), run.callback_url);
}

export async function decryptAnswer(run: RunScope, event: StoredEvent): Promise<string | undefined> {
  if (event.answer === undefined) return undefined;
  return await decryptCallerData(answerKey(run, event.generation), event.answer);
}

/** The same events, with their answers decrypted. */
export async function withAnswers<E extends StoredEvent>(run: RunScope, events: readonly E[]): Promise<E[]> {
  return await Promise.all(
    events.map(async (event) =>
      event.answer === undefined ? event : { ...event, answer: await decryptAnswer(run, event) },
    ),
  );
}

/** For data that was decrypted before. */
export function requirePlain(data: CallerData): string {
  if (typeof data === 'string') return data;
  throw new ServiceError('internal', { cause: 'The data of the caller is still encrypted.' });
}

const encrypt = async (key: AttributeKey, data: CallerData): Promise<Uint8Array> =>
  typeof data === 'string' ? await encryptCallerData(key, data) : data;

const headerKey = ({ run_id, orgid, workspaceid }: RunScope, attribute: keyof HeaderData): AttributeKey => ({
  orgid,
  workspaceid,
  ...runKey(run_id),
  attribute,
});
const answerKey = ({ run_id, orgid, workspaceid }: RunScope, generation: number): AttributeKey => ({
  orgid,
  workspaceid,
  ...runKey(run_id, generation),
  attribute: 'answer',
});

/** The attribute that holds a text. */
export interface AttributeKey {
  /** The owner of the flow, or of the dead letter. */
  readonly orgid: string;
  readonly workspaceid: string;
  readonly pk: string;
  readonly sk: string;
  readonly attribute: string;
}

export async function encryptCallerData(key: AttributeKey, plain: string): Promise<Uint8Array> {
  const keys = await loadDataKeys();
  return await keys.encrypt(plain, encryptionContext(key), binding(key));
}

/** Throws `payload_unreadable` where the bytes were changed or moved. */
export async function decryptCallerData(key: AttributeKey, stored: CallerData): Promise<string> {
  if (typeof stored === 'string') return stored;
  const keys = await loadDataKeys();
  return await keys.decrypt(stored, encryptionContext(key), binding(key));
}

let dataKeys: DataKeyCache | undefined;

/** Most requests about runs have nothing to encrypt: the first that has loads the client of KMS. */
async function loadDataKeys(): Promise<DataKeyCache> {
  const { createDataKeyCache } = await import('#lib/data-key-cache.ts');
  dataKeys ??= createDataKeyCache();
  return dataKeys;
}

const encryptionContext = ({ orgid, workspaceid }: AttributeKey): EncryptionContext => ({
  tenant: requireEnv('TENANT_ID'),
  orgid,
  workspaceid,
  purpose: 'caller-data',
});

const binding = ({ pk, sk, attribute }: AttributeKey): EncryptionContext => ({ pk, sk, attribute });
