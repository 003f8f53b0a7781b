// The first minute: an agent that is live, and the field for a message to it.
import type { RegistryRow } from '#lib/registry/row/row.ts';
import { Chat } from './chat.tsx';
import { hostedUrl } from './hosted-url.ts';

type Agent = Pick<RegistryRow, 'hosted_url' | 'agent_card'>;

export const FirstMessage = ({ row }: { row: Agent }) => (
  <Chat
    url={hostedUrl(row)}
    name={row.agent_card.name}
    examples={row.agent_card.skills.flatMap(({ examples }) => examples ?? [])}
  />
);
