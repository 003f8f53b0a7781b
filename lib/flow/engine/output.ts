// The output of a run to its caller, during the run and at its end: messages, files, artifacts and chunks of them, text while a model writes it.
import type { Json, JsonObject } from '#lib/json/json.ts';

/** A file as an A2A part names it: its bytes in base64, or where it is. */
export type FileContent = ({ readonly raw: string } | { readonly url: string }) & {
  readonly media_type?: string;
  readonly filename?: string;
};

/** Parts of a message or of an artifact; at least one of them. */
export type Content = {
  readonly text?: string;
  readonly data?: Json;
  readonly file?: FileContent;
};

/** What a `reply` node sends during the run: a message or, with `artifact`, an artifact of the run or a chunk of one. */
export interface Reply extends Content {
  readonly node_id: string;
  readonly artifact?: ArtifactChunk;
}

export type ArtifactChunk = {
  /** The same for all chunks of an artifact. */
  readonly artifact_id: string;
  readonly name?: string;
  readonly description?: string;
  /** Adds to what was sent of the artifact before, instead of replacing it. */
  readonly append?: boolean;
  readonly last_chunk?: boolean;
};

/** A whole output beside the response. */
export type Artifact = Content & { readonly name?: string; readonly description?: string };

/** How an `end` answers. `as` matters to callers over A2A: a task is the rule; a plain message has no task; a task can be rejected. */
export interface Ending {
  readonly response: JsonObject;
  readonly as?: 'task' | 'message' | 'rejected';
  readonly artifacts?: readonly Artifact[];
}

/** A piece of a model's answer, while the model is still writing. */
export interface TextPiece {
  readonly node_id: string;
  /** The key of the execution that it belongs to: `answer.1`, inside a map `each.1.0.answer.1`. */
  readonly key: string;
  readonly text: string;
  /** Present where the text is for the caller of the run, as a chunk of the text of that execution. */
  readonly chunk?: TextChunk;
}

/** Without `append` the text begins anew and replaces what this execution sent before. The last chunk may be empty. */
export type TextChunk = Required<Pick<ArtifactChunk, 'append' | 'last_chunk'>>;
