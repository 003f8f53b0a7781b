// What the methods read of the agent's card. Loaded with the first call that needs it.
import { ServiceError } from '#lib/errors.ts';
import { extendedForm } from '#lib/registry/card/card-form.ts';
import { readCard } from '#lib/registry/card/published-card.ts';
import { readSignedCard } from '#lib/registry/card/read-signed-card.ts';
import { readSignatures } from '#lib/registry/card/signature-items.ts';
import type { AgentCard } from '#lib/registry/row/agent-card.ts';
import type { StoredRow } from '#lib/registry/row/stored-row.ts';
import { truncate } from '#lib/truncate.ts';
import { A2ARefusal } from './errors.ts';
import type { CallContext } from './own-task.ts';
import type { Part } from './params.ts';
import { mediaTypeName } from './parts.ts';

/** A public agent shows callers of other organisations the card that everybody may read. */
export async function getExtendedCard({ row, status, caller }: CallContext): Promise<AgentCard> {
  if (!readCard(row, status).capabilities.extendedAgentCard)
    throw new A2ARefusal('UNSUPPORTED_OPERATION', 'The card of the agent declares no extended card.');
  const form = caller.orgid === row.orgid ? extendedForm(status) : status;
  const signed = await readSignedCard({ row, stored: await readSignatures(row.a2aregistryid) }, form);
  if (signed) return signed.card;
  throw new ServiceError('dependency_unavailable', { cause: 'The card was changed while it was signed.' });
}

/** Rows that were last written before push notifications existed do not declare them. */
export function requireDeclaredPush(row: StoredRow): void {
  if (readCard(row).capabilities.pushNotifications) return;
  throw new A2ARefusal(
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
    'The card of the agent declares no push notifications.',
  );
}

/** The agent accepts files of the input modes on its card; text and JSON always. */
export function requireAcceptedFiles(row: StoredRow, files: readonly Part[]): void {
  const card = readCard(row);
  const modes = new Set(
    [...card.defaultInputModes, ...card.skills.flatMap((skill) => skill.inputModes ?? [])].map(mediaTypeName),
  );
  const refused = files.find(({ mediaType = '' }) => !modes.has(mediaTypeName(mediaType)));
  if (!refused) return;
  const { mediaType = 'no media type' } = refused;
  throw new A2ARefusal(
    'CONTENT_TYPE_NOT_SUPPORTED',
    `The agent accepts ${[...modes].join(', ')}, not ${truncate(mediaType, 127)}.`,
  );
}
