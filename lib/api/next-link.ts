// The `Link` header of a page that is not the last (RFC 8288), relative to the request.
type Value = string | number | boolean | undefined;

export function nextLink(query: Readonly<Record<string, Value | readonly string[]>>, cursor: string): string {
  const given = new URLSearchParams();
  for (const [name, values] of Object.entries({ ...query, cursor }))
    for (const value of [values].flat()) if (value !== undefined) given.append(name, String(value));
  return `<?${given}>; rel="next"`;
}
