// HTTP requests of a flow.
import type { Json } from '#lib/json/json.ts';
import type { NodeCall } from './node-call.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Already serialised. */
  readonly body?: string;
  /** Name of the connection whose credential the port adds; the engine never sees it. */
  readonly connection?: string;
  readonly response: 'json' | 'text';
  /** Hosts the flow may reach; the port refuses every other. */
  readonly egress: readonly string[];
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

/** Throws `NodeError` (codes `egress.*`, `http.*`, `connection.*`, `timeout`) when there is no usable answer; an answer with any status is returned. */
export type HttpPort = (request: HttpRequest, call: NodeCall) => Promise<HttpAnswer>;
