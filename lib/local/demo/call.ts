// One call of the management API or a trigger, shown as it goes out and comes back.
import type * as z from 'zod';
import { received, sent, show } from './print.ts';

interface Target {
  readonly baseUrl: string;
  readonly apiKey: string;
}

export const caller =
  (stage: Target) =>
  async <S extends z.ZodType>(request: string, schema: S, body?: object): Promise<z.output<S>> => {
    const [method = 'GET', path = '/'] = request.split(' ');
    sent(request);
    if (body) show('body', body);
    const isWebhook = path.startsWith('/api/triggers/');
    const response = await fetch(`${stage.baseUrl}${path}`, {
      method,
      headers: {
        ...(isWebhook ? { authorization: `Bearer ${stage.apiKey}` } : { 'x-api-key': stage.apiKey }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    received(response.status);
    if (!response.ok) throw new Error(`${request} answered ${response.status}: ${text}`);
    return schema.parse(JSON.parse(text));
  };
