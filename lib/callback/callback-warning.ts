// The warning that a requested callback will not be sent: callbacks are signed, and a workspace without a
// callback secret sends none.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { readSecrets } from '#lib/webhook-secret/secret-items.ts';
import { isInForce } from '#lib/webhook-secret/signing-secret.ts';

const callbackWarning = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      pointer: z.string().meta({ description: 'RFC 6901, from `/body` or `/path`.' }),
      code: z.enum(['callback_without_secret']).meta({
        description:
          '`callback_without_secret`: no callback is sent before the workspace has a callback secret.',
      }),
      detail: z.string(),
    })
    .meta({ id: 'CallbackWarning' }),
);
type CallbackWarning = z.infer<typeof callbackWarning>;

export const callbackWarnings = /* @__PURE__ */ z.lazy(() =>
  z.array(callbackWarning).optional().meta({
    description: 'Mistakes that are likely but accepted.',
  }),
);

interface CallbackRequest {
  readonly workspaceid: string;
  /** The member that requests a callback; undefined if no callback is requested. */
  readonly pointer: string | undefined;
  readonly at: string;
}

/**
 * One read, and only if a callback is requested. The request has already been carried out, so it does not
 * fail if the read does.
 */
export async function findCallbackWarnings(
  caller: Caller,
  { workspaceid, pointer, at }: CallbackRequest,
): Promise<{ warnings?: CallbackWarning[] }> {
  if (pointer === undefined) return {};
  const known = await readSecrets({ orgid: caller.orgid, workspaceid }).catch(() => 'unknown' as const);
  const hasSecret =
    known === 'unknown' || known?.entries.some((entry) => isInForce(entry, Date.parse(at))) === true;
  if (hasSecret) return {};
  const detail = `has no effect yet: the workspace ${workspaceid} has no callback secret, and callbacks are not sent unsigned. PUT /api/v1/callback-secret sets one.`;
  return { warnings: [{ pointer, code: 'callback_without_secret', detail }] };
}
