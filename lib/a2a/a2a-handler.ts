// The handler of the hosted A2A URLs. It applies the access rule `a2aRegistryAccess`, then serves the binding of the
// address.
import { requireRegistryAccess } from '#lib/access/a2a-registry-access.ts';
import type { Caller } from '#lib/access/caller.ts';
import type { FoundAgent } from '#lib/environment/find-agent.ts';
import type { Answer } from '#lib/http/answer.ts';
import type { FormatByAddress } from '#lib/http/endpoint-steps.ts';
import { readIncomingTrace } from '#lib/http/incoming-trace.ts';
import type { FormatProblem } from '#lib/http/problem.ts';
import type { Status, StoredRow } from '#lib/registry/row/stored-row.ts';
import { type A2ARequest, httpContentType } from './binding.ts';
import { toServiceStatusBody } from './errors.ts';
import { extensionHeaders, readExtensions } from './extensions.ts';
import { serveJsonRpc } from './json-rpc.ts';
import type { CallContext } from './own-task.ts';

/** Finds the agent that a path names. */
type FindAgent<P> = (params: P, caller: Caller | undefined) => Promise<FoundAgent | undefined>;

/** Serves callers whom the visibility of the agent admits. */
export const createA2AHandler =
  <P>(findAgent: FindAgent<P>, selectStatus: (row: StoredRow) => Status = ({ status }) => status) =>
  async (request: A2ARequest<P>): Promise<Answer<never>> => {
    const found = await findAgent(request.params, request.caller);
    const row = requireRegistryAccess(found?.row, request.caller);
    const { caller, log, remainingMs, signal } = request;
    const extensions = readExtensions(row, request);
    const status = selectStatus(row);
    const trace = await readIncomingTrace(request.headers);
    const known = { row, settings: found?.settings, status, caller, extensions, trace };
    const context = { ...known, log, remainingMs, signal };
    const answer = await serveBinding(context, request);
    return { ...answer, headers: { ...answer.headers, ...extensionHeaders(extensions) } };
  };

async function serveBinding(context: CallContext, request: A2ARequest): Promise<Answer<never>> {
  if (request.address === undefined) return await serveJsonRpc(context, request);
  if (request.address === 'rest') {
    const { serveHttpJson } = await import('./http-json.ts');
    return await serveHttpJson(context, request);
  }
  const { serveLegacy } = await import('./legacy.ts');
  return await serveLegacy(context, request);
}

/** Errors of the HTTP layer, such as a missing credential, have the form of the binding. */
export const formatProblem: FormatByAddress = (address) =>
  address === 'rest' ? formatHttpProblem : undefined;

const formatHttpProblem: FormatProblem = (problem) => ({
  contentType: httpContentType,
  body: JSON.stringify(toServiceStatusBody(problem)),
});
