// The URL that is notified of the end of a run.
import * as z from 'zod';
import { receiverUrl } from '#lib/receiver-url.ts';

export const callbackUrl = /* @__PURE__ */ z.lazy(() =>
  receiverUrl().meta({
    description:
      'Notified once the run is over, by a POST that is signed with the callback secret of the workspace (Standard Webhooks).',
    example: 'https://example.com/hooks/agent-flow',
  }),
);
