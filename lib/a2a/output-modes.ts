// Removes parts that a client does not accept: `acceptedOutputModes` (A2A v1.0.1 §3.2.2), which agents should
// respect.
import { type Artifact, type Message, type Part, Role, type StreamResponse, type Task } from '@a2a-js/sdk';
import { accepts, type OutputModes, textPart } from './parts.ts';

export interface OutputFilter {
  readonly modes: OutputModes;
  readonly task: (task: Task) => Task;
  readonly message: (message: Message) => Message;
  readonly update: (update: StreamResponse) => StreamResponse;
}

/** An empty list accepts all media types. */
export function createOutputFilter(modes: OutputModes = []): OutputFilter {
  const parts = (given: Part[]) => acceptedParts(given, modes);
  const artifact = (given: Artifact): Artifact => ({ ...given, parts: parts(given.parts) });
  const message = (given: Message): Message =>
    given.role === Role.ROLE_AGENT ? { ...given, parts: parts(given.parts) } : given;
  const status = <S extends { message: Message | undefined }>(given: S): S =>
    given.message ? { ...given, message: message(given.message) } : given;
  return {
    modes,
    message,
    task: (task) => ({
      ...task,
      status: task.status && status(task.status),
      artifacts: task.artifacts.map(artifact),
      history: task.history.map(message),
    }),
    update: ({ payload }) => {
      if (payload?.$case === 'statusUpdate' && payload.value.status)
        return { payload: { ...payload, value: { ...payload.value, status: status(payload.value.status) } } };
      if (payload?.$case === 'artifactUpdate' && payload.value.artifact)
        return {
          payload: { ...payload, value: { ...payload.value, artifact: artifact(payload.value.artifact) } },
        };
      return { payload };
    },
  };
}

/**
 * JSON is sent as text to a client that accepts only text. If the client accepts none of the parts, it gets
 * all of them, because `parts` must not be empty.
 */
function acceptedParts(parts: Part[], modes: OutputModes): Part[] {
  const accepted = parts.filter(({ mediaType }) => accepts(modes, mediaType));
  if (accepted.length > 0) return accepted;
  if (!accepts(modes, 'text/plain')) return parts;
  const texts = parts.flatMap(({ content }) =>
    content?.$case === 'data' ? [textPart(JSON.stringify(content.value))] : [],
  );
  return texts.length > 0 ? texts : parts;
}
