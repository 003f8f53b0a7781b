// The output of a flow, while it runs and at its end: as it is buffered to be written, and as it is read
// again.
import { createHash } from 'node:crypto';
import type { Content, Reply } from '#lib/flow/engine/output.ts';

/** A reply, or an artifact of the run's end, which belongs to no node. */
export interface OutputMessage
  extends Content,
    Pick<Reply, 'artifact' | 'as' | 'metadata' | 'extensions'>,
    Partial<Pick<Reply, 'node_id'>> {
  /**
   * Names the execution of the node that put it out. Absent for the text of a model: text that is written
   * again begins anew.
   */
  readonly key?: string;
}

/** `id` identifies the message in every way in which a run is read. */
export type StoredReply = OutputMessage & { readonly id: string };

/**
 * The same content from the same execution is a repetition, after a crash or in another attempt around it,
 * and counts once.
 */
export function outputId(message: OutputMessage): string | undefined {
  if (message.key === undefined) return undefined;
  const digest = createHash('sha256').update(JSON.stringify(message)).digest('base64url');
  return `${message.key}-${digest.slice(0, 12)}`;
}

/** Each id once, at its first position. */
export function withoutRepetitions(replies: readonly StoredReply[]): StoredReply[] {
  const byId = new Map<string, StoredReply>();
  for (const reply of replies) if (!byId.has(reply.id)) byId.set(reply.id, reply);
  return [...byId.values()];
}
