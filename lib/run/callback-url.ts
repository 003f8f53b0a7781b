// The URL that is notified of the end of a run.
import { receiverUrl } from '#lib/receiver-url.ts';

export const callbackUrl = receiverUrl().meta({
  description:
    'Notified once the run is over, by a POST that is signed with the callback secret of the workspace (Standard Webhooks).',
  example: 'https://example.com/hooks/agent-flow',
});
