// What a flow hands over to its caller while it runs and as it ends: as it waits to be written, and as it is read again.
import { createHash } from 'node:crypto';
import { endArtifacts } from '#lib/flow/engine/end-artifacts.ts';
import type { Artifact, Content, Reply } from '#lib/flow/engine/output.ts';

/** A reply, or an artifact of the run's end, of which no node is known. */
export interface Said extends Content, Pick<Reply, 'artifact'>, Partial<Pick<Reply, 'node_id'>> {
  /** Names the visit that said it. Absent for the text of a model: who writes it again begins anew, which needs no telling apart. */
  readonly key?: string;
}

/** `id` tells what a run has said apart, in whichever way it is read. */
export type StoredReply = Said & { readonly id: string };

/** The artifacts of the run's end: the room beside the response is not enough for them. */
export const lastWords = (artifacts: readonly Artifact[]): Said[] =>
  endArtifacts(artifacts).map((handed) => ({ key: handed.artifact.artifact_id, ...handed }));

/** The same visit that says the same again does so after a crash, or in another attempt of what is around it: that counts once. */
export function idOf(said: Said): string | undefined {
  if (said.key === undefined) return undefined;
  const digest = createHash('sha256').update(JSON.stringify(said)).digest('base64url');
  return `${said.key}-${digest.slice(0, 12)}`;
}

/** Each once, where it stood first. */
export function onceEach(replies: readonly StoredReply[]): StoredReply[] {
  const byId = new Map<string, StoredReply>();
  for (const reply of replies) if (!byId.has(reply.id)) byId.set(reply.id, reply);
  return [...byId.values()];
}
