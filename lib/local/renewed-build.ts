// A build names addresses: its card that of the service, its flow perhaps that of the sample shop. When one of them has moved since the last
// start, the build is told, in place: which build is live, and what else it says, is the business of whoever registered it.
import type { JsonObject } from '#lib/json/json.ts';
import { type RegistryRow, registryRow } from '#lib/registry/row.ts';
import { sampleOrdersUrl } from './sample-orders.ts';
import type { Send } from './send.ts';

export interface Addresses {
  readonly baseUrl: string;
  readonly ordersUrl: string;
  readonly formerOrdersUrl?: string | undefined;
}

export async function renewed(row: RegistryRow, addresses: Addresses, send: Send): Promise<RegistryRow> {
  const { baseUrl, ordersUrl, formerOrdersUrl = sampleOrdersUrl } = addresses;
  const hasMoved = !row.hosted_url.startsWith(`${baseUrl}/`);
  const formerShops = [formerOrdersUrl, sampleOrdersUrl].filter((url) => url !== ordersUrl);
  if (!hasMoved && formerShops.length === 0) return row;
  const path = `/api/v1/a2a-registry/${row.a2aregistryid}`;
  const { flow = {} } = registryRow.strip().parse(await send(`GET ${path}?flow=true`));
  const told = tell(flow, formerShops, ordersUrl);
  if (!hasMoved && !told) return row;
  const body = { ...replacementOf(row), ...(told && { flow: told }) };
  return registryRow.parse(await send(`PUT ${path}`, body, { 'if-match': `"${row.version}"` }));
}

/** The flow with the shop's host of today in place of former ones; undefined when it does not speak of them. */
function tell(flow: JsonObject, formerShops: readonly string[], ordersUrl: string): JsonObject | undefined {
  const text = JSON.stringify(flow);
  const [now = '', ...formers] = [ordersUrl, ...formerShops].map((url) => new URL(url).host);
  const told = formers.reduce((before, former) => before.replaceAll(hostPattern(former), now), text);
  return told === text ? undefined : JSON.parse(told);
}

/** A longer port may begin like this one. */
const hostPattern = (host: string): RegExp => new RegExp(`${host.replaceAll('.', '\\.')}(?!\\d)`, 'g');

/** What a replacement has to repeat. The card is signed anew, for the address that the service has now. */
const replacementOf = ({
  flow_version,
  visibility,
  agent_card,
  tags,
  tool_config,
  env_variable,
}: RegistryRow) => ({
  flow_version,
  visibility,
  agent_card: { ...agent_card, tags },
  tool_config,
  env_variable,
});
