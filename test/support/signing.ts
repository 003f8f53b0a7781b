// Signs events as a sender does who knows Standard Webhooks and nothing of our code.
import { createHmac } from 'node:crypto';

interface Signing {
  readonly secret: string;
  readonly body: string;
  readonly id: string;
  /** Seconds from now. */
  readonly skewSeconds?: number;
}

export function signed({ secret, body, id, skewSeconds = 0 }: Signing): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000) + skewSeconds);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${hmac(secret, `${id}.${timestamp}.${body}`)}`,
  };
}

export const hmac = (secret: string, text: string): string =>
  createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update(text)
    .digest('base64');
