// HTTP requests of a flow.
import type { Json } from '#lib/json/json.ts';
import type { NodeCall } from './node-call.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Already serialised. */
  readonly body?: string | Uint8Array;
  /** Name of the connection whose credential the port adds. The engine never sees the credential. */
  readonly connection?: string;
  readonly response: 'json' | 'text' | 'base64';
  /** Hosts that the flow may reach. The port refuses all others. */
  readonly egress: readonly string[];
  /** Bytes of the response after decoding, if it may be larger than others. */
  readonly responseBytesMax?: number;
  /** Whether the answer has the header `set-cookie`. */
  readonly keepsCookies?: boolean;
  /** How many requests of the run to the host may be open; the engine waits for the others. */
  readonly maxConcurrency?: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** By lower-case name; only `set-cookie` is a list. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Json;
  /** The number of integers in the body that were kept as text, because a number would round them. */
  readonly kept?: number;
}

/**
 * Throws a `NodeError` (`egress.*`, `http.*`, `connection.*`, `timeout`) if there is no usable response; a
 * response with any status is returned.
 */
export type HttpPort = (request: HttpRequest, call: NodeCall) => Promise<HttpAnswer>;
