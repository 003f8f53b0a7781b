// Notifies those who cache signing secrets in this process that some were changed. In other processes the
// cache expires.
import type { SecretScope } from './signing-secret.ts';

/**
 * How long a process may use the secrets of a webhook that it has read (`lib/trigger/event-destination.ts`).
 */
export const rememberedSecretsMs = 10_000;

type Listener = (scope: SecretScope) => void;
const listeners = new Set<Listener>();

export const onSecretsChanged = (listener: Listener): void => void listeners.add(listener);

export function secretsChanged(scope: SecretScope): void {
  for (const listener of listeners) listener(scope);
}
