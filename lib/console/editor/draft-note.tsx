// Says that a draft is shown, whether the build behind it has moved on, and discards it.
import { Link } from 'wouter';
import { comparePath } from '../agents/queries.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import type { Draft } from './draft.ts';
import styles from './editor.module.css';
import { words } from './words.ts';

interface DraftNoteProps {
  readonly flowid?: string;
  readonly isKept: boolean;
  /** The build from which the draft began, and the one that the page is about. */
  readonly began?: Draft['from'] | undefined;
  readonly now?: Draft['from'] | undefined;
  readonly onDiscard: () => void;
}

export function DraftNote({ flowid, isKept, began, now, onDiscard }: DraftNoteProps) {
  const hasMoved = began && now && (began.id !== now.id || began.version !== now.version);
  return (
    <section
      className={`${styles.draft} ${hasMoved || !isKept ? styles.warned : ''}`}
      aria-label={words.draft}
    >
      <div className={styles.detail}>
        <p>
          {words.draft} {isKept ? words.draftKept : words.draftLost}
        </p>
        {hasMoved && (
          <p role="status">
            {words.movedOn(began.number, now.number)}{' '}
            {flowid !== undefined && began.id !== now.id && (
              <Link href={comparePath(flowid, began.id, now.id)}>{words.changesOf}</Link>
            )}
          </p>
        )}
      </div>
      <ConfirmButton
        label={words.discard}
        title={words.discardTitle}
        text={words.discardText}
        action={async () => onDiscard()}
        onDone={() => {}}
      />
    </section>
  );
}
