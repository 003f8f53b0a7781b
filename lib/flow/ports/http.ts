// HTTP requests of a flow.
import type { Json } from '#lib/json/json.ts';
import type { StoredFileReference } from './file.ts';
import type { NodeCall } from './node-call.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Already serialised, unless it has stored files, whose content only the port reads. */
  readonly body?: string | Uint8Array | FileBody;
  /** Name of the connection whose credential the port adds. The engine never sees the credential. */
  readonly connection?: string;
  readonly response: 'json' | 'text' | 'base64';
  /** Hosts that the flow may reach. The port refuses all others. */
  readonly egress: readonly string[];
  /** Bytes of the response after decoding, if it may be larger than others. */
  readonly responseBytesMax?: number;
  /** Whether the answer has the header `set-cookie`. */
  readonly keepsCookies?: boolean;
  /** The body of a 2xx response is stored as a file instead of being parsed. */
  readonly save?: SaveRequest;
  /** How many requests of the run to the host may be open; the engine waits for the others. */
  readonly maxConcurrency?: number;
}

/** A stored file as it is, or a form that has some. The port sets the content type that only it knows. */
export type FileBody = StoredFile | { readonly fields: readonly FormField[] };

interface StoredFile {
  readonly file: string;
}

export type FormField = readonly [name: string, value: string | File | FilePart];

/** A stored file in a form, by default under its own name and type. */
export interface FilePart extends StoredFile {
  readonly filename?: string;
  readonly media_type?: string;
}

export interface SaveRequest {
  /** Identifies the execution. */
  readonly key: string;
  /** By default those of the response. */
  readonly name?: string;
  readonly media_type?: string;
}

export interface HttpAnswer {
  readonly status: number;
  /** By lower-case name; only `set-cookie` is a list. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Json;
  /** In place of a body that was stored; `null` for one that is empty. */
  readonly file?: StoredFileReference | null;
  /** The number of integers in the body that were kept as text, because a number would round them. */
  readonly kept?: number;
}

/**
 * Throws a `NodeError` (`egress.*`, `http.*`, `connection.*`, `timeout`) if there is no usable response; a
 * response with any status is returned.
 */
export type HttpPort = (request: HttpRequest, call: NodeCall) => Promise<HttpAnswer>;
