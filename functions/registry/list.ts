import { endpoint } from '#lib/api/endpoint.ts';
import { registryRoutes } from '#lib/api/registry-routes.ts';
import { list } from '#lib/registry/list.ts';
import { wireRow } from '#lib/registry/wire-row.ts';

const route = registryRoutes.listRegistryRows;

export const handler = endpoint(route, async ({ caller, query }) => {
  const { rows, nextCursor } = await list(caller, query);
  const json = { items: rows.map((row) => wireRow(row)), ...(nextCursor !== undefined && { nextCursor }) };
  return { json, ...(nextCursor !== undefined && { headers: { link: nextLink(query, nextCursor) } }) };
});

/** RFC 8288, relative to the request. */
function nextLink(query: Readonly<Record<string, string | number | undefined>>, cursor: string): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, cursor }))
    if (value !== undefined) given.set(name, String(value));
  return `<?${given}>; rel="next"`;
}
