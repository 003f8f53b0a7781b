// A message that could not be run: what is kept of it, and what the API shows, which is no more of its content than a preview.
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import { flowid, runId } from '#lib/ids.ts';

const time = z.iso.datetime();

export const deadLetter = z
  .strictObject({
    id: runId.meta({ description: 'Of the dead letter; that of its run, where the message names one.' }),
    reason: z.string().meta({ description: 'Why it could not be run.' }),
    flowid: flowid.optional(),
    workflow_id: runId.optional().meta({ description: 'The run, which is the `triggerId` of a webhook.' }),
    preview: z
      .string()
      .meta({ description: 'The beginning of the event, without what looks like a secret.' }),
    first_seen_at: time,
    last_seen_at: time,
    attempts: z.int().meta({ description: 'How often it became a dead letter.' }),
    redriven_at: time.optional().meta({ description: 'When it was last put back into the queue.' }),
  })
  .meta({ id: 'DeadLetter' });
export type DeadLetter = z.infer<typeof deadLetter>;

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

export const storedDeadLetter = deadLetter.strip().extend({
  /** `-` where the message does not say whose it is; only operators see it then. */
  orgid: z.string(),
  workspaceid: z.string(),
  /** The message as it came, encrypted (`encrypted-letter.ts`), as is the preview; both are gone once the letter is dismissed. */
  body: bytes.optional(),
  /** In plain where an earlier version of the service has stored it. */
  preview: z.union([z.string(), bytes]).default(''),
  /** Nobody wants it to be run any more. It is kept without its content, to say what became of the event. */
  dismissed_at: time.optional(),
});
export type StoredDeadLetter = z.infer<typeof storedDeadLetter>;

/** Why the event of a letter has no run; undefined where it is back in the queue, or never was for a run that has a name. */
export const whyNotRun = ({ workflow_id, redriven_at, reason }: StoredDeadLetter): string | undefined =>
  workflow_id === undefined || redriven_at !== undefined ? undefined : reason;

/** The organisation and the workspace of a message that names none. */
export const nobody = '-';

export const shownLetter = (
  { orgid: _, workspaceid: __, body: ___, dismissed_at: ____, ...letter }: StoredDeadLetter,
  preview: string,
): DeadLetter => ({ ...letter, preview });

/** Also for one that was dismissed. */
export const noSuchLetter = (id: string) =>
  new ServiceError('dead_letter_not_found', { detail: `There is no dead letter ${id}.` });
