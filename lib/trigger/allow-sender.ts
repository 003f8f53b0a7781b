// The handshake of the CloudEvents webhook specification (HTTP 1.1 Web Hooks for Event Delivery 1.0.2, §4): a sender
// asks by OPTIONS whether it may send events to an address. Every address has the same answer, also one that does not
// exist, and nothing is read for it. It grants nothing, since events need a credential.
import type { Answer } from '#lib/http/answer.ts';
import { tenantLimits, windowSeconds } from '#lib/limits/tenant-limits.ts';

/** Requests without the header of the handshake are refused before, by 405. */
export const allowSender = (): Answer<never> => ({
  text: '',
  contentType: 'text/plain',
  status: 200,
  headers: {
    allow: 'OPTIONS, POST',
    // §4.2.1: "*" stands for any origin.
    'webhook-allowed-origin': '*',
    // §4.2.2: requests per minute.
    'webhook-allowed-rate': String((tenantLimits().key_requests * 60) / windowSeconds),
  },
});
