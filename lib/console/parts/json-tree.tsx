// A JSON value as a tree that opens on demand, so that a large one costs nothing before somebody looks into it.
import { useState } from 'react';
import { isList, isObject } from '#lib/flow/format/json-value.ts';
import type { Json } from '#lib/json/json.ts';
import buttons from './button.module.css';
import { formatCount } from './format.ts';
import styles from './json-tree.module.css';
import { words } from './words.ts';

interface JsonTreeProps {
  readonly value: Json;
  readonly label: string;
}

export const JsonTree = ({ value, label }: JsonTreeProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
  <div className={styles.tree} role="group" aria-label={label} tabIndex={0}>
    <Value value={value} isOpen />
  </div>
);

/** A text that people read, such as a prompt. */
export const LongText = ({ text, label }: { readonly text: string; readonly label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
  <div className={`${styles.tree} ${styles.prose}`} role="group" aria-label={label} tabIndex={0}>
    <Text text={text} />
  </div>
);

interface ValueProps {
  readonly value: Json;
  readonly name?: string;
  readonly isOpen?: boolean;
}

function Value({ value, name, isOpen = false }: ValueProps) {
  const members = listMembers(value);
  if (members && members.length > 0)
    return <Members members={members} isList={isList(value)} name={name} isOpen={isOpen} />;
  return (
    <div className={styles.leaf}>
      {name !== undefined && <span className={styles.name}>{name}: </span>}
      {typeof value === 'string' ? <Text text={value} /> : <code>{JSON.stringify(value)}</code>}
    </div>
  );
}

function listMembers(value: Json): readonly (readonly [string, Json])[] | undefined {
  if (isList(value)) return value.map((item, n) => [String(n), item] as const);
  return isObject(value) ? Object.entries(value) : undefined;
}

interface MembersProps {
  readonly members: readonly (readonly [string, Json])[];
  readonly isList: boolean;
  readonly name: string | undefined;
  readonly isOpen: boolean;
}

const pageSize = 100;

function Members({ members, isList, name, isOpen: isOpenAtFirst }: MembersProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const [shown, setShown] = useState(pageSize);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name !== undefined && <span className={styles.name}>{name}: </span>}
        <span className={styles.soft}>
          {isList ? words.items(formatCount(members.length)) : words.members(formatCount(members.length))}
        </span>
      </summary>
      {isOpen && (
        <div className={styles.members}>
          {members.slice(0, shown).map(([key, member]) => (
            <Value key={key} name={key} value={member} />
          ))}
          {members.length > shown && (
            <button
              type="button"
              className={buttons.button}
              onClick={() => setShown((count) => count + pageSize)}
            >
              {words.more}
            </button>
          )}
        </div>
      )}
    </details>
  );
}

const charsShown = 2_000;

function Text({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(text.length <= charsShown);
  return (
    <>
      <span className={styles.text}>{isWhole ? text : `${text.slice(0, charsShown)}…`}</span>
      {!isWhole && (
        <button type="button" className={buttons.button} onClick={() => setWhole(true)}>
          {words.wholeText(formatCount(text.length))}
        </button>
      )}
    </>
  );
}
