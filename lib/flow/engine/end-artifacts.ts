// The artifacts of an `end` node, in the form of the replies that a flow sends while it runs.
import { definedOnly } from '../format/json-value.ts';
import type { Artifact, ArtifactChunk, Content } from './output.ts';

type ArtifactReply = Content & { readonly artifact: ArtifactChunk };

/**
 * Each artifact is one chunk. The path of a called flow is part of the ids, so that they are unique in the
 * run.
 */
export const endArtifacts = (artifacts: readonly Artifact[], path = ''): readonly ArtifactReply[] =>
  artifacts.map(({ name, description, metadata, extensions, ...content }, n) => {
    const labels = definedOnly({ name, description, metadata, extensions });
    return { ...content, artifact: { artifact_id: `${path}end-${n + 1}`, ...labels, last_chunk: true } };
  });
