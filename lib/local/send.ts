// Sends requests to the API of the service.

/**
 * `request` is a method and a path. Resolves to the JSON of the response, if it has a body; rejects if its status is an
 * error.
 */
export type Send = (
  request: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
) => Promise<unknown>;

export const sender =
  ({ baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string }): Send =>
  async (request, body, headers = {}) => {
    const [method = 'GET', path = '/'] = request.split(' ');
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { ...headers, 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${request} answered ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
