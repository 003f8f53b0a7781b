// Whether an agent takes what a message carries: text and JSON always, files only of the input modes on its card.
import { readCard } from '#lib/registry/published-card.ts';
import type { StoredRow } from '#lib/registry/stored-row.ts';
import { truncate } from '#lib/truncate.ts';
import { A2ARefusal } from './errors.ts';
import type { Part } from './params.ts';

export function requireSupportedContent(row: StoredRow, parts: readonly Part[]): void {
  const files = parts.filter((part) => part.raw !== undefined || part.url !== undefined);
  if (files.length === 0) return;
  const card = readCard(row);
  const modes = new Set([
    ...card.defaultInputModes,
    ...card.skills.flatMap((skill) => skill.inputModes ?? []),
  ]);
  const refused = files.map((file) => file.mediaType ?? 'no media type').find((type) => !modes.has(type));
  if (refused === undefined) return;
  throw new A2ARefusal(
    'CONTENT_TYPE_NOT_SUPPORTED',
    `The agent takes ${[...modes].join(', ')}, not ${truncate(refused, 127)}.`,
  );
}
