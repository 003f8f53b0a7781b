// The card of a stored row as it is served: its URL, its signatures and its exact text.
import { requireEnv } from '#lib/env.ts';
import { signCard } from './card-signatures.ts';
import { type AgentCard, agentCard, buildExtension } from './row/agent-card.ts';
import { type AgentCardInput, publishCard } from './row/agent-card-input.ts';
import type { Status, StoredRow } from './row/stored-row.ts';

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

/** What a row stores of its card. */
export const describeCard = async (
  input: AgentCardInput,
  build: Omit<Build, 'gateway_url'>,
): Promise<Described> => await signStoredCard(cardWithoutUrl(input, build.flow_version), build);

/**
 * With the address and the key that the service has now. Eight KMS calls: the card and its extended form are signed for
 * the test and for the live URL, each in two forms.
 */
export async function signStoredCard(card: AgentCard, build: Omit<Build, 'gateway_url'>): Promise<Described> {
  const gateway_url = requireEnv('GATEWAY_URL');
  const row = { ...build, gateway_url };
  const sign = async (some: AgentCard, status: Status) =>
    await signCard(at(some, agentPath(row, status)), gateway_url);
  const extended = extendCard(card, row);
  const [[test, ...sdkTest], [live, ...sdkLive], extendedTest, extendedLive] = await Promise.all([
    sign(card, 'test'),
    sign(card, 'live'),
    sign(extended, 'test'),
    sign(extended, 'live'),
  ]);
  return {
    card: JSON.stringify(card),
    signatures: { test, live },
    sdk_signatures: { test: sdkTest, live: sdkLive },
    extended_signatures: { test: extendedTest, live: extendedLive },
    gateway_url,
  };
}

export const cardWithoutUrl = (input: AgentCardInput, flowVersion: string | undefined): AgentCard =>
  publishCard(input, { url: '/', version: flowVersion ?? '1.0.0' });

export function readCard(row: StoredRow, status: Status = row.status): AgentCard {
  const card = agentCard.parse(JSON.parse(row.card));
  const signatures = [row.signatures[status], ...(row.sdk_signatures?.[status] ?? [])];
  return { ...at(card, agentPath(row, status)), signatures };
}

/** The card for callers of the agent's organisation; undefined for a row that has not been signed with it. */
export function readExtendedCard(row: StoredRow, status: Status): AgentCard | undefined {
  if (!row.extended_signatures) return undefined;
  const signatures = row.extended_signatures[status];
  return { ...extendCard(readCard(row, status), row), signatures };
}

/** Says which build answers. Nothing of it changes with a promotion, so that it is signed when it is written. */
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
 * and keep the URL that they were signed with until the row is updated.
 */
const at = (card: AgentCard, path: string): AgentCard => ({
  ...card,
  supportedInterfaces: card.supportedInterfaces.map((each) => ({ ...each, url: `${path}${each.url}` })),
});
