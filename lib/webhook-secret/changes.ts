// Who remembers signing secrets in this process hears here that some were changed. Other processes learn of it when their memory ends.
import type { SecretScope } from './signing-secret.ts';

/** How long a process may go on with the secrets of a webhook that it has read (`lib/trigger/event-destination.ts`). */
export const rememberedSecretsMs = 10_000;

type Listener = (place: SecretScope) => void;
const listeners = new Set<Listener>();

export const onSecretsChanged = (listener: Listener): void => void listeners.add(listener);

export function secretsChanged(place: SecretScope): void {
  for (const listener of listeners) listener(place);
}
