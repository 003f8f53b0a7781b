// A flow of one `http` node, run against a server on loopback through the real port.
import { createHttpPort } from '#lib/connection/http-port.ts';
import type { Json, JsonObject } from '#lib/json/json.ts';
import { runNodes } from '../flow/scripted.ts';
import { connectWith } from './connections.ts';
import type { Loopback } from './loopback.ts';

/** Runs one node `a` against the server; the response is its output, also after an error. */
export async function sendThroughFlow(
  server: Loopback,
  node: object,
  more: {
    readonly variables?: JsonObject;
    readonly flow?: JsonObject;
    readonly values?: Record<string, object>;
  } = {},
) {
  const { variables = {}, flow = {}, values = {} } = more;
  const port = createHttpPort(connectWith({ fetch: server.fetch, values }));
  const nodes = {
    a: { type: 'http', url: server.url, catch: [{ on: ['*'], next: 'z' }], next: 'z', ...node },
    z: { type: 'end', output: { a: '{{ nodes.a }}' } },
  };
  const { outcome } = await runNodes(
    nodes,
    { http: port },
    {
      flow: { egress: [server.host], ...flow },
      options: { input: { message: '', user_variables: variables } },
    },
  );
  if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome));
  return (outcome.response as { a: Record<string, Json> }).a;
}
