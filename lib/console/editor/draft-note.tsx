// Says that a draft is shown, whether the build behind it has moved on, and discards it.
import { Link } from 'wouter';
import { comparePath } from '../agents/queries.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import type { Draft } from './draft.ts';
import styles from './editor.module.css';
import type { EditedFlow } from './use-edited-flow.ts';
import { words } from './words.ts';

interface DraftNoteProps {
  readonly flowid?: string;
  readonly edited: Pick<EditedFlow, 'isKept' | 'isElsewhere'>;
  /** The build from which the draft began, and the one that the page is about. */
  readonly began?: Draft['from'] | undefined;
  readonly now?: Draft['from'] | undefined;
  readonly onDiscard: () => void;
}

export function DraftNote({
  flowid,
  edited: { isKept, isElsewhere },
  began,
  now,
  onDiscard,
}: DraftNoteProps) {
  const hasMoved = began && now && (began.id !== now.id || began.version !== now.version);
  return (
    <section
      className={`${styles.draft} ${hasMoved || isElsewhere || !isKept ? styles.warned : ''}`}
      aria-label={words.draft}
    >
      <div className={styles.detail}>
        <p>
          {words.draft} {isKept ? words.draftKept : words.draftLost}
        </p>
        {isElsewhere && <p role="status">{words.otherWindow}</p>}
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
