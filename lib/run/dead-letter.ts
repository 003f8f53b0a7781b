// A dead letter, a message that could not be run: its key, stored form and wire form. The wire form has no
// more of the content than a preview.
import * as z from 'zod';
import { ServiceError } from '#lib/errors.ts';
import { flowid, runId, type WorkspaceScope } from '#lib/ids.ts';

const time = z.iso.datetime();

export const deadLetter = z
  .strictObject({
    id: runId.meta({
      description: 'The id of the dead letter: the id of its run, if the message names one.',
    }),
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
  /** `-` if the message names no organisation; then only operators see it. */
  orgid: z.string(),
  workspaceid: z.string(),
  /**
   * The message, encrypted like the preview (`encrypted-letter.ts`). Both are removed when the letter is
   * dismissed.
   */
  body: bytes.optional(),
  /** Not encrypted if an earlier version of the service has stored it. */
  preview: z.union([z.string(), bytes]).default(''),
  /** A dismissed letter is kept without its content, so that the state of the event can be reported. */
  dismissed_at: time.optional(),
});
export type StoredDeadLetter = z.infer<typeof storedDeadLetter>;

/**
 * Why the event of a letter has no run; undefined if it is back in the queue, or if the message names no run.
 */
export const reasonNotRun = ({ workflow_id, redriven_at, reason }: StoredDeadLetter): string | undefined =>
  workflow_id === undefined || redriven_at !== undefined ? undefined : reason;

/** The organisation and the workspace of a message that names none. */
export const unknownOwner = '-';

/** The partition that lists the workspaces with dead letters, and the prefix of the partitions of letters. */
export const workspacesKey = 'DEAD#';

export const letterPartition = ({ orgid, workspaceid }: WorkspaceScope) =>
  `${workspacesKey}${orgid}#${workspaceid}`;
export const letterKey = (scope: WorkspaceScope, id: string) => ({ pk: letterPartition(scope), sk: id });

export const toWireLetter = (
  { orgid: _, workspaceid: __, body: ___, dismissed_at: ____, ...letter }: StoredDeadLetter,
  preview: string,
): DeadLetter => ({ ...letter, preview });

/** Also for a letter that was dismissed. */
export const letterNotFound = (id: string) =>
  new ServiceError('dead_letter_not_found', { detail: `There is no dead letter ${id}.` });
