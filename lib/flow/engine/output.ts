// The output of a run to its caller, during the run and at its end: messages, files, artifacts and their
// chunks, and text while a model writes it.
import type { Json, JsonObject } from '#lib/json/json.ts';

/**
 * A file as in an A2A part: its bytes in base64, or its URL; or a stored file, which the run may use. `bytes` is its
 * size, where it is known.
 */
export type FileContent = (
  | { readonly raw: string; readonly bytes?: number }
  | { readonly url: string; readonly bytes?: number }
  | { readonly file: string; readonly bytes: number }
) & {
  readonly media_type?: string;
  readonly filename?: string;
};

/** The content of a message or of an artifact. At least one field is present. */
export type Content = {
  readonly text?: string;
  readonly data?: Json;
  readonly file?: FileContent;
};

/** What a flow adds to a message or an artifact for callers over A2A: metadata, and the extensions that define it. */
export type Annotations = {
  readonly metadata?: JsonObject;
  readonly extensions?: string[];
};

/**
 * What a `reply` node sends during the run: a message or, with `artifact`, an artifact of the run or a chunk
 * of one, which has annotations of its own.
 */
export interface Reply extends Content, Annotations {
  readonly node_id: string;
  readonly artifact?: ArtifactChunk;
  /** A message that is no part of the conversation: what the run does at the moment. */
  readonly as?: 'status';
}

export type ArtifactLabels = Annotations & {
  readonly name?: string;
  readonly description?: string;
};

export type ArtifactChunk = ArtifactLabels & {
  /** All chunks of an artifact have the same id. */
  readonly artifact_id: string;
  /** Appends to the earlier chunks of the artifact instead of replacing them. */
  readonly append?: boolean;
  readonly last_chunk?: boolean;
};

/** A complete output in addition to the response. */
export type Artifact = Content & ArtifactLabels;

/**
 * The response of an `end` node. `as` is for callers over A2A: usually a task; a plain message has no task; a
 * task can be rejected.
 */
export interface Ending {
  readonly response: JsonObject;
  readonly as?: 'task' | 'message' | 'rejected';
  readonly artifacts?: readonly Artifact[];
  /** For callers over A2A: the text with which the task ends, and how the artifact of the response is labelled. */
  readonly message?: string;
  readonly response_artifact?: ArtifactLabels;
}

/** A piece of a model's answer, sent while the model writes. */
export interface TextPiece {
  readonly node_id: string;
  /** The key of the execution: `answer.1`, inside a map `each.1.0.answer.1`. */
  readonly key: string;
  readonly text: string;
  /** Present if the text goes to the caller of the run, as a chunk of the text of that execution. */
  readonly chunk?: TextChunk;
}

/** Without `append`, the text replaces what this execution has sent before. The last chunk may be empty. */
export type TextChunk = Required<Pick<ArtifactChunk, 'append' | 'last_chunk'>>;
