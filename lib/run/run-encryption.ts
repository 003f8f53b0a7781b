// What a run holds of those who called it: the input, the callback URL and answers. Each write of a run encrypts it, and it
// is decrypted only for those who ask for it: code that only looks at a run needs no key.
import {
  type AttributeKey,
  type CallerData,
  decryptCallerData,
  encryptCallerData,
} from '#lib/caller-data.ts';
import { type EventItem, runKey, type StoredEvent, type StoredRun } from './stored-run.ts';

export type RunScope = Pick<StoredRun, 'run_id' | 'orgid' | 'workspaceid'>;
export type HeaderData = Pick<StoredRun, 'input' | 'callback_url'>;

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
  const { generation, answer, message } = event;
  if (typeof answer !== 'string' && typeof message !== 'string') return event;
  return {
    ...event,
    ...(answer !== undefined && { answer: await encrypt(eventKey(run, generation, 'answer'), answer) }),
    ...(message !== undefined && { message: await encrypt(eventKey(run, generation, 'message'), message) }),
  };
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

/** The same events, with their answers and messages decrypted. */
export async function withAnswers<E extends StoredEvent>(run: RunScope, events: readonly E[]): Promise<E[]> {
  return await Promise.all(events.map(async (event) => await decryptEvent(run, event)));
}

export async function decryptEvent<E extends StoredEvent>(run: RunScope, event: E): Promise<E> {
  const { generation, answer, message } = event;
  if (answer === undefined && message === undefined) return event;
  const decryptText = async (attribute: EventData, data: CallerData | undefined) =>
    data && (await decryptCallerData(eventKey(run, generation, attribute), data));
  return {
    ...event,
    answer: await decryptText('answer', answer),
    message: await decryptText('message', message),
  };
}

const encrypt = async (key: AttributeKey, data: CallerData): Promise<Uint8Array> =>
  typeof data === 'string' ? await encryptCallerData(key, data) : data;

const headerKey = ({ run_id, orgid, workspaceid }: RunScope, attribute: keyof HeaderData): AttributeKey => ({
  orgid,
  workspaceid,
  ...runKey(run_id),
  attribute,
});
type EventData = 'answer' | 'message';
const eventKey = (
  { run_id, orgid, workspaceid }: RunScope,
  generation: number,
  attribute: EventData,
): AttributeKey => ({ orgid, workspaceid, ...runKey(run_id, generation), attribute });
