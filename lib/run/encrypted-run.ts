// The parts of a run's items that callers have sent, encrypted before they are stored and decrypted for who needs them: the input, the address
// of the callback, and answers. Whoever only looks at a run needs none of them, and so no key.
import { ServiceError } from '#lib/errors.ts';
import type { AttributeKey, CallerData } from './caller-data.ts';
import type { EventItem, StoredEvent, StoredRun } from './stored-run.ts';
import { eventKey, headKey } from './stored-run.ts';

type Named = Pick<StoredRun, 'run_id' | 'orgid' | 'workspaceid'>;
type SentHead = Pick<StoredRun, 'input' | 'callback_url'>;

const inHead = ({ run_id, orgid, workspaceid }: Named, attribute: keyof SentHead): AttributeKey => ({
  orgid,
  workspaceid,
  ...headKey(run_id),
  attribute,
});
const answerIn = ({ run_id, orgid, workspaceid }: Named, generation: number): AttributeKey => ({
  orgid,
  workspaceid,
  ...eventKey(run_id, generation),
  attribute: 'answer',
});

/** Of a header, or of a change of one. */
export async function encryptHead<H extends Partial<SentHead>>(run: Named, head: H): Promise<H> {
  const { input, callback_url } = head;
  if (typeof input !== 'string' && typeof callback_url !== 'string') return head;
  return {
    ...head,
    ...(input !== undefined && { input: await encrypted(inHead(run, 'input'), input) }),
    ...(callback_url !== undefined && {
      callback_url: await encrypted(inHead(run, 'callback_url'), callback_url),
    }),
  };
}

export async function encryptEvent(run: Named, event: EventItem): Promise<EventItem> {
  if (typeof event.answer !== 'string') return event;
  return { ...event, answer: await encrypted(answerIn(run, event.generation), event.answer) };
}

/** What the flow runs on, as JSON. */
export async function inputOf(run: StoredRun): Promise<string | undefined> {
  return run.input === undefined ? undefined : await decrypted(inHead(run, 'input'), run.input);
}

/** The same run, with its input in plain. */
export async function withInput(run: StoredRun): Promise<StoredRun> {
  const input = await inputOf(run);
  return input === undefined ? run : { ...run, input };
}

export async function callbackUrlOf(run: StoredRun): Promise<string | undefined> {
  if (run.callback_url === undefined) return undefined;
  return await decrypted(inHead(run, 'callback_url'), run.callback_url);
}

/** The same events, with their answers in plain. */
export async function withAnswers<E extends StoredEvent>(run: Named, events: readonly E[]): Promise<E[]> {
  return await Promise.all(
    events.map(async (event) =>
      event.answer === undefined
        ? event
        : { ...event, answer: await decrypted(answerIn(run, event.generation), event.answer) },
    ),
  );
}

/** Of what was decrypted before. */
export function plainOf(data: CallerData): string {
  if (typeof data === 'string') return data;
  throw new ServiceError('internal', { cause: 'It is encrypted still.' });
}

/** Most requests about runs come by here with nothing to encrypt: KMS is loaded by the first that has. */
async function encrypted(at: AttributeKey, data: CallerData): Promise<Uint8Array> {
  if (typeof data !== 'string') return data;
  const { encryptCallerData } = await import('./caller-data.ts');
  return await encryptCallerData(at, data);
}

async function decrypted(at: AttributeKey, data: CallerData): Promise<string> {
  if (typeof data === 'string') return data;
  const { decryptCallerData } = await import('./caller-data.ts');
  return await decryptCallerData(at, data);
}
