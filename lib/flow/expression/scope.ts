// What the expressions of a flow can read. It never contains a secret.
import type { Json, JsonObject } from '#lib/json/json.ts';

export type Scope = {
  readonly input: JsonObject;
  readonly state: JsonObject;
  readonly env: JsonObject;
  readonly nodes: JsonObject;
  readonly run: { readonly id: string; readonly started_at: string; readonly turn: number };
  /** Inside a `map`. */
  readonly item?: Json;
  readonly index?: number;
  /** In a request that a model fills in: the arguments of the model. */
  readonly args?: Json;
  /** In the `select` of a request: the body of the response. */
  readonly body?: Json;
  /** In the `assign` of a tool: its result. */
  readonly result?: Json;
  /** In the `assign` of an `ask`. */
  readonly answer?: Json;
  /** There too: what expressions read as `answer.message`. */
  readonly 'answer.message'?: Json;
};
