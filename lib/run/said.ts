// What a flow hands over to its caller while it runs and as it ends: as it waits to be written, and as it is read again.
import type { Artifact, Content, Reply } from '#lib/flow/ports.ts';

/** A reply, or an artifact of the run's end, of which no node is known. */
export interface Said extends Content, Pick<Reply, 'artifact'>, Partial<Pick<Reply, 'node_id'>> {
  /** Names the visit that said it; what comes twice under one key was said again after a crash, and counts once. */
  readonly key?: string;
}

/** `id` tells what a run has said apart, in whichever way it is read. */
export type StoredReply = Said & { readonly id: string };

/** The artifacts of an end, whole, in the form of replies: the room beside the response is not enough for them. */
export const lastWords = (artifacts: readonly Artifact[]): Said[] =>
  artifacts.map(({ name, description, ...content }, n) => {
    const artifact_id = `end-${n + 1}`;
    const labels = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
    return { key: artifact_id, ...content, artifact: { artifact_id, ...labels, last_chunk: true } };
  });

/** The same key once, where it stood first. */
export function onceEach(replies: readonly StoredReply[]): StoredReply[] {
  const byId = new Map<string, StoredReply>();
  for (const reply of replies) if (!byId.has(reply.id)) byId.set(reply.id, reply);
  return [...byId.values()];
}
