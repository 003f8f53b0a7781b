// The flows that a flow may call: those of its workspace that are live, with the connections that they declare. A call that goes on after a
// pause finds the build it began with, or nothing.

import { variablesOf } from '#lib/environment/find-build.ts';
import type { EgressPorts } from '#lib/flow/engine/node-context.ts';
import type { FlowPort } from '#lib/flow/engine/ports.ts';
import type { DeclaredConnections } from '#lib/flow/format/connection.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import { readFlow, readRow } from '#lib/registry/row-items.ts';
import type { StoredRow } from '#lib/registry/stored-row.ts';
import { loadFlow } from './load-flow.ts';
import { findMissing } from './missing-connections.ts';
import type { StoredRun } from './stored-run.ts';

type Caller = Pick<StoredRun, 'orgid' | 'workspaceid' | 'caller_id' | 'environment'>;

export function createFlowPort(
  caller: Caller,
  createPorts: (declared: DeclaredConnections) => EgressPorts,
): FlowPort {
  return async ({ flowid, build }) => {
    const row = build === undefined ? await liveBuild(caller, flowid) : await sameBuild(build, flowid);
    const flow = await loadFlow(row);
    const missing = await findMissing(caller, flow.connections);
    if (missing.length > 0) throw incomplete(flowid, missing);
    return {
      flow,
      flowid,
      build: nameOf(row),
      env: await variablesOf(row, caller.environment),
      ports: createPorts(flow.connections),
    };
  };
}

const incomplete = (flowid: string, missing: readonly string[]) =>
  new NodeError(
    'connection.missing',
    `The flow "${flowid}" needs connections that have no value: ${missing.join(', ')}.`,
  );

const nameOf = (row: StoredRow) => `${row.a2aregistryid} ${row.payload_id}`;

async function liveBuild({ orgid, workspaceid }: Caller, flowid: string): Promise<StoredRow> {
  const flow = await readFlow(flowid, orgid, workspaceid);
  const row = flow?.live === undefined ? undefined : await readRow(flow.live);
  if (row) return row;
  throw new NodeError('flow.not_found', `The workspace has no live build of the flow "${flowid}".`);
}

async function sameBuild(build: string, flowid: string): Promise<StoredRow> {
  const [id = ''] = build.split(' ');
  const row = await readRow(id);
  if (row && nameOf(row) === build) return row;
  throw new NodeError(
    'flow.gone',
    `The build of the flow "${flowid}" that was called is not there any more.`,
  );
}
