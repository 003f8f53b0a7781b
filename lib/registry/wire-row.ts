// Stored rows and flows as the API returns them.
import type { JsonObject } from '#lib/json/json.ts';
import { cardUrl, hostedUrl, readCard } from './card/published-card.ts';
import type { LiveBuildChange } from './promote.ts';
import type { LiveRegistryRow, RegistryFlow, RegistryRow } from './row/row.ts';
import type { StoredFlow, StoredRow } from './row/stored-row.ts';

export function toWireRow(row: StoredRow, flow?: JsonObject): RegistryRow {
  return {
    a2aregistryid: row.a2aregistryid,
    flowid: row.flowid,
    ...(row.flow_version !== undefined && { flow_version: row.flow_version }),
    ...(row.label !== undefined && { label: row.label }),
    ...(row.note !== undefined && { note: row.note }),
    build_no: row.build_no,
    workspaceid: row.workspaceid,
    orgid: row.orgid,
    status: row.status,
    visibility: row.visibility,
    agent_card: readCard(row),
    tags: row.tags,
    hosted_url: hostedUrl(row, row.status),
    card_url: cardUrl(row, row.status),
    ...(row.tool_config !== undefined && { tool_config: JSON.parse(row.tool_config) }),
    ...(row.env_variable && { env_variable: row.env_variable }),
    egress: row.egress,
    version: row.version,
    created_at: row.created_at,
    updated_at: row.updated_at,
    created_by: row.created_by,
    ...(flow && { flow }),
  };
}

export const toWireLiveRow = ({ row, demoted }: LiveBuildChange): LiveRegistryRow => ({
  ...toWireRow(row),
  ...(demoted !== undefined && { demoted }),
});

export const toWireFlow = (flow: StoredFlow): RegistryFlow => ({
  flowid: flow.flowid,
  // Flows registered before names were stored have none until their next build.
  name: flow.name ?? flow.flowid,
  build_count: flow.build_count,
  live: flow.live ?? null,
  updated_at: flow.updated_at,
});
