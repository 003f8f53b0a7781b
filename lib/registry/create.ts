// Registers a build: numbers it, encrypts its flow, creates it with status `test`.

import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { type Caller, requireWorkspace } from '#lib/access/caller.ts';
import { type Claim, receiptAction, runOnce } from '#lib/dynamo/idempotency.ts';
import { retryOnConflict } from '#lib/dynamo/retry-on-conflict.ts';
import { ServiceError } from '#lib/errors.ts';
import { computeFingerprint } from '#lib/fingerprint.ts';
import { newPayloadId, newRegistryId } from '#lib/ids.ts';
import { built } from '#lib/json/built-schema.ts';
import { cardWithoutUrl, describeCard } from './card/published-card.ts';
import { insertRow } from './change-items.ts';
import { deleteFlow, storeFlow } from './flow-payload.ts';
import { removePostings, revise, writePostings } from './listing/postings.ts';
import { findUntaggedSkills } from './row/agent-card-input.ts';
import type { CreateBody } from './row/row.ts';
import { readFlowAndOwner } from './row/row-items.ts';
import { type StoredRow, storedRow } from './row/stored-row.ts';

export interface Registration {
  readonly body: CreateBody;
  readonly workspaceid: string;
  /** Hosts the flow may reach, as its check found them. */
  readonly egress: readonly string[];
  readonly at: string;
  readonly requestId?: string | undefined;
  /** Makes the same request, sent again within 24 h, the same answer. */
  readonly idempotencyKey?: string | undefined;
}

export async function create(caller: Caller, registration: Registration): Promise<StoredRow> {
  requireWorkspace(caller, registration.workspaceid);
  if (registration.idempotencyKey === undefined) return await register(caller, registration);
  return await runOnce(toClaim(caller, registration, registration.idempotencyKey), {
    run: (claim) => register(caller, registration, claim),
    replay: (receipt) => ({ ...readRequest(registration), ...made.parse(receipt) }),
  });
}

async function register(caller: Caller, registration: Registration, claim?: Claim): Promise<StoredRow> {
  const { body, workspaceid, at } = registration;
  const ids = {
    a2aregistryid: newRegistryId(),
    orgid: caller.orgid,
    workspaceid,
    payload_id: newPayloadId(),
  };
  const sent = readRequest(registration);
  const { postings } = revise({}, sent);
  const [payload_chunks] = await Promise.all([
    storeFlow(ids, body.flow),
    writePostings({ ...ids, created_at: at }, postings),
  ]);
  const row = await retryOnConflict(async () => {
    const seen = await readFlowAndOwner(body.flowid, caller.orgid, workspaceid);
    if (!seen) return undefined;
    const owns_live_url =
      !seen.owner || (seen.owner.orgid === caller.orgid && seen.owner.workspaceid === workspaceid);
    const address = { owns_live_url, build_no: (seen.flow?.last_build_no ?? 0) + 1 };
    const candidate: StoredRow = {
      ...sent,
      ...ids,
      ...address,
      ...describeCard(body.agent_card, body.flow_version),
      status: 'test',
      payload_chunks,
      postings,
      seen_live: seen.flow?.live,
      seen_live_version: seen.flow?.live_version,
      version: 1,
      created_at: at,
      updated_at: at,
      created_by: caller.id,
    };
    const also = {
      request_id: registration.requestId,
      receipts: claim && [receiptAction(claim, made.parse(candidate))],
    };
    return (await insertRow(candidate, { ...seen, name: body.agent_card.name }, also))
      ? candidate
      : undefined;
  });
  if (row) return row;
  await Promise.all([
    deleteFlow({ ...ids, payload_chunks }),
    removePostings({ ...ids, created_at: at }, postings),
  ]);
  throw new ServiceError('version_conflict', {
    detail: `Other builds of ${body.flowid} are being registered; try again.`,
  });
}

/**
 * What the service added to what the client sent, and so all that is needed to give the same answer to the
 * same request again.
 */
const made = /* @__PURE__ */ z.lazy(() =>
  built(storedRow).omit({
    flowid: true,
    flow_version: true,
    label: true,
    note: true,
    workspaceid: true,
    visibility: true,
    card: true,
    tags: true,
    untagged_skills: true,
    tool_config: true,
    env_variable: true,
    egress: true,
  }),
);

/** The members of the row that follow from the request alone. */
const readRequest = ({ body, workspaceid, egress }: Registration) => ({
  workspaceid,
  flowid: body.flowid,
  flow_version: body.flow_version,
  label: body.label,
  note: body.note,
  visibility: body.visibility ?? ('organization' as const),
  card: JSON.stringify(cardWithoutUrl(body.agent_card, body.flow_version)),
  tags: body.agent_card.tags ?? [],
  untagged_skills: findUntaggedSkills(body.agent_card),
  tool_config: body.tool_config && JSON.stringify(body.tool_config),
  env_variable: body.env_variable,
  egress: [...egress],
});

const toClaim = (caller: Caller, { body, workspaceid, at }: Registration, key: string): Claim => ({
  orgid: caller.orgid,
  callerid: caller.id,
  key,
  fingerprint: computeFingerprint([workspaceid, body]),
  token: randomUUID(),
  at,
});
