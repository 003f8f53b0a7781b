// The card of a stored row as it is published, apart from its signatures (`good-signatures.ts`).
import { requireEnv } from '#lib/env.ts';
import { type AgentCard, agentCard, buildExtension } from '../row/agent-card.ts';
import { type AgentCardInput, publishCard } from '../row/agent-card-input.ts';
import type { Status, StoredRow } from '../row/stored-row.ts';

type Address = Pick<StoredRow, 'flowid' | 'a2aregistryid' | 'owns_live_url' | 'gateway_url'>;
type Build = Address & Pick<StoredRow, 'build_no' | 'flow_version' | 'orgid' | 'workspaceid'>;
type Described = Pick<
  StoredRow,
  'card' | 'signatures' | 'sdk_signatures' | 'extended_signatures' | 'gateway_url'
>;

/**
 * Ends with a slash, because clients resolve the path of the card against it. Calls and cards are served with
 * and without the slash: API Gateway ignores it when it matches a path.
 */
export const hostedUrl = (row: Address, status: Status): string => `${agentPath(row, status)}/`;

export const cardUrl = (row: Address, status: Status): string =>
  `${hostedUrl(row, status)}.well-known/agent-card.json`;

/**
 * The live URL is short for the owner of the flowid; other workspaces' live builds are reached by their
 * registry id.
 */
function agentPath(row: Address, status: Status): string {
  const agents = `${row.gateway_url}/api/v1/ai/a2a`;
  if (status === 'test') return `${agents}/${row.flowid}/${row.a2aregistryid}`;
  return row.owns_live_url ? `${agents}/${row.flowid}` : `${agents}/agents/${row.a2aregistryid}`;
}

/** What a row stores of its card. Signatures are made with the first request for the card. */
export const describeCard = (input: AgentCardInput, flowVersion: string | undefined): Described => ({
  card: JSON.stringify(cardWithoutUrl(input, flowVersion)),
  ...atCurrentAddress(),
});

/** The address of the service, and none of the signatures that versions before stored in the row. */
export const atCurrentAddress = (): Omit<Described, 'card'> => ({
  signatures: undefined,
  sdk_signatures: undefined,
  extended_signatures: undefined,
  gateway_url: requireEnv('GATEWAY_URL'),
});

export const cardWithoutUrl = (input: AgentCardInput, flowVersion: string | undefined): AgentCard =>
  publishCard(input, { url: '/', version: flowVersion ?? '1.0.0' });

/** With its URLs, without signatures. */
export function readCard(row: StoredRow, status: Status = row.status): AgentCard {
  const card = agentCard.parse(JSON.parse(row.card));
  return at(card, agentPath(row, status));
}

/** The card for callers of the agent's organisation, without signatures. */
export const readExtendedCard = (row: StoredRow, status: Status): AgentCard =>
  extendCard(readCard(row, status), row);

/** Says which build answers. */
function extendCard(card: AgentCard, row: Build): AgentCard {
  const { a2aregistryid, flowid, build_no, flow_version, orgid, workspaceid } = row;
  const params = {
    a2aregistryid,
    flowid,
    build_no,
    ...(flow_version !== undefined && { flow_version }),
    orgid,
    workspaceid,
    build_url: hostedUrl(row, 'test'),
  };
  const { extensions = [], ...capabilities } = card.capabilities;
  const extension = { uri: buildExtension, description: 'The build behind this URL.', params };
  return { ...card, capabilities: { ...capabilities, extensions: [...extensions, extension] } };
}

/**
 * A stored card has the ends of its URLs, such as `/` and `/rest`. Cards older than the slash have an empty text,
 * and keep that URL until the row is updated.
 */
const at = (card: AgentCard, path: string): AgentCard => ({
  ...card,
  supportedInterfaces: card.supportedInterfaces.map((each) => ({ ...each, url: `${path}${each.url}` })),
});
