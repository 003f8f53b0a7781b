// Converts a run to an A2A task: states, artifacts and history, in the types of the SDK, whose codecs write
// the wire form.
import type { Artifact, Message, Part, Task } from '@a2a-js/sdk';
import { assembleArtifacts, type RunArtifact, toContentParts } from '#lib/flow/engine/artifacts.ts';
import type { JsonObject } from '#lib/json/json.ts';
import type { StoredReply } from '#lib/run/output.ts';
import type { RunView } from '#lib/run/state.ts';
import { listExchange } from './history.ts';
import { toUseMetadata } from './messages.ts';
import { type OutputModes, toPart, toResponsePart } from './parts.ts';
import { isEmpty, toTaskStatus } from './status.ts';

export interface TaskOptions {
  /** As in A2A §3.2.4: all messages if it is absent, none if it is 0. */
  readonly historyLength?: number | undefined;
  /** The form of the response; by default that of the answer of the flow. */
  readonly modes?: OutputModes;
}

/**
 * A message of the agent is in the status while it is the latest, and in the history after that, so that a task that is
 * read has what a client has put together from a stream.
 */
export function toTask(
  view: RunView,
  incoming: Message | undefined,
  { historyLength, modes = [] }: TaskOptions = {},
): Task {
  const { run_id: id, context_id: contextId } = view.run;
  const exchange = listExchange(view, incoming);
  const status = toTaskStatus(view.status, view.statusTimestamp, id, contextId, { ...view, modes });
  const last = exchange.at(-1);
  const isReply = last?.kind === 'reply' || last?.kind === 'note';
  const current = view.status === 'working' && isReply ? last.message : status.message;
  const history = exchange
    .filter(({ kind, message }) => kind !== 'note' && message.messageId !== current?.messageId)
    .map(({ message }) => message);
  return {
    id,
    contextId,
    status: { ...status, message: current },
    artifacts: listArtifacts(view, modes),
    history: historyLength === undefined ? history : historyLength === 0 ? [] : history.slice(-historyLength),
    metadata: toUseMetadata(view.used),
  };
}

/** The response is last, as it is sent last. It replaces an artifact of the flow with the same id. */
function listArtifacts({ status, replies, ...ending }: RunView, modes: OutputModes): Artifact[] {
  const artifacts = assembleArtifacts(replies).map(toArtifact);
  const last = status === 'completed' ? toResponseArtifact(ending, modes) : undefined;
  return last ? [...artifacts.filter(({ artifactId }) => artifactId !== responseId), last] : artifacts;
}

/** The id of the artifact that holds the response of the flow. */
const responseId = 'response';

/** Undefined while there is no response, for an empty one, and for one that is a message. */
export function toResponseArtifact(
  { response = {}, as, labels }: Pick<RunView, 'response' | 'as' | 'labels'>,
  modes: OutputModes,
): Artifact | undefined {
  if (as !== undefined || isEmpty(response)) return undefined;
  return buildArtifact(responseId, [toResponsePart(response, modes)], { name: 'response', ...labels });
}

const toArtifact = ({ artifact_id, parts, ...labels }: RunArtifact): Artifact =>
  buildArtifact(artifact_id, parts.map(toPart), labels);

/** The artifact, or the chunk of one, that a reply contains. */
export const toChunkArtifact = (reply: StoredReply): Artifact =>
  buildArtifact(
    reply.artifact?.artifact_id ?? reply.id,
    toContentParts(reply).map(toPart),
    reply.artifact ?? {},
  );

const buildArtifact = (
  artifactId: string,
  parts: Part[],
  { name = '', description = '', metadata, extensions = [] }: Labels,
): Artifact => ({ artifactId, name, description, parts, metadata, extensions: [...extensions] });

/** Also those of a chunk, which has others beside. */
interface Labels {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly extensions?: readonly string[] | undefined;
}
