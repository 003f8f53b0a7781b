// A build contains addresses: its Agent Card that of the service, its flow perhaps that of the sample shop.
// If one of them has changed since the last start, the build is updated in place. Nothing else of it changes.

import { built } from '#lib/json/built-schema.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { type RegistryRow, registryRow } from '#lib/registry/row/row.ts';
import { sampleOrdersUrl } from './sample-orders.ts';
import type { Send } from './send.ts';

export interface Addresses {
  readonly baseUrl: string;
  readonly ordersUrl: string;
  readonly formerOrdersUrl?: string | undefined;
}

export async function updateAddresses(
  row: RegistryRow,
  addresses: Addresses,
  send: Send,
): Promise<RegistryRow> {
  const { baseUrl, ordersUrl, formerOrdersUrl = sampleOrdersUrl } = addresses;
  const hasMoved = !row.hosted_url.startsWith(`${baseUrl}/`);
  const formerShops = [formerOrdersUrl, sampleOrdersUrl].filter((url) => url !== ordersUrl);
  if (!hasMoved && formerShops.length === 0) return row;
  const path = `/api/v1/a2a-registry/${row.a2aregistryid}`;
  const { flow = {} } = built(registryRow)
    .strip()
    .parse(await send(`GET ${path}?flow=true`));
  const updated = replaceShop(flow, formerShops, ordersUrl);
  if (!hasMoved && !updated) return row;
  const body = { ...toReplacement(row), ...(updated && { flow: updated }) };
  return registryRow.parse(await send(`PUT ${path}`, body, { 'if-match': `"${row.version}"` }));
}

/** Replaces the previous hosts of the shop in a flow; undefined if it contains none. */
function replaceShop(
  flow: JsonObject,
  formerShops: readonly string[],
  ordersUrl: string,
): JsonObject | undefined {
  const text = JSON.stringify(flow);
  const [now = '', ...formers] = [ordersUrl, ...formerShops].map((url) => new URL(url).host);
  const updated = formers.reduce((before, former) => before.replaceAll(hostPattern(former), now), text);
  return updated === text ? undefined : JSON.parse(updated);
}

/** Must not match a longer port that begins with the same digits. */
const hostPattern = (host: string): RegExp => new RegExp(`${host.replaceAll('.', '\\.')}(?!\\d)`, 'g');

/** The fields that a replacement must repeat. The service signs the card again, with its current address. */
const toReplacement = ({
  flow_version,
  label,
  note,
  visibility,
  agent_card,
  tags,
  tool_config,
  env_variable,
}: RegistryRow) => ({
  flow_version,
  label,
  note,
  visibility,
  agent_card: { ...agent_card, tags },
  tool_config,
  env_variable,
});
