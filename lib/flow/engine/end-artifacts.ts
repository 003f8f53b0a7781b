// The artifacts of an `end`, in the form in which a flow hands over others while it runs.
import type { Artifact, ArtifactChunk, Content } from './output.ts';

type Handed = Content & { readonly artifact: ArtifactChunk };

/** Each is whole. The path of a called flow tells its artifacts from those of the run and of its other calls. */
export const endArtifacts = (artifacts: readonly Artifact[], path = ''): readonly Handed[] =>
  artifacts.map(({ name, description, ...content }, n) => {
    const labels = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
    return { ...content, artifact: { artifact_id: `${path}end-${n + 1}`, ...labels, last_chunk: true } };
  });
