// Warns who asks for a callback that none will come: callbacks are signed, and a workspace without a secret sends none.
import * as z from 'zod';
import type { Caller } from '#lib/access/caller.ts';
import { readSecrets } from '#lib/webhook-secret/secret-items.ts';
import { isInForce } from '#lib/webhook-secret/signing-secret.ts';

const callbackWarning = z
  .strictObject({
    pointer: z.string().meta({ description: 'RFC 6901, from `/body` or `/path`.' }),
    code: z.enum(['callback_without_secret']).meta({
      description:
        '`callback_without_secret`: no callback is sent before the workspace has a callback secret.',
    }),
    detail: z.string(),
  })
  .meta({ id: 'CallbackWarning' });
type CallbackWarning = z.infer<typeof callbackWarning>;

export const callbackWarnings = z.array(callbackWarning).optional().meta({
  description: 'What is accepted and hardly meant so.',
});

interface Asked {
  readonly workspaceid: string;
  /** Of what is asked for; none of what asks for no callback. */
  readonly pointer: string | undefined;
  readonly at: string;
}

/** One read, of those alone that ask for a callback. What they asked for is done by then, so a read that fails is no reason to refuse it. */
export async function warningsOf(
  caller: Caller,
  { workspaceid, pointer, at }: Asked,
): Promise<{ warnings?: CallbackWarning[] }> {
  if (pointer === undefined) return {};
  const place = { orgid: caller.orgid, workspaceid };
  const known = await readSecrets(place).catch(() => 'unknown' as const);
  const hasSecret =
    known === 'unknown' || known?.entries.some((entry) => isInForce(entry, Date.parse(at))) === true;
  if (hasSecret) return {};
  const detail = `is of no use yet: the workspace ${workspaceid} has no callback secret, and nothing is sent unsigned. PUT /api/v1/callback-secret sets one.`;
  return { warnings: [{ pointer, code: 'callback_without_secret', detail }] };
}
