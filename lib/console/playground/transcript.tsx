// What was said, one bubble for each message and each artifact.
import { useEffect, useRef } from 'react';
import { type Entry, isUnsent, listShown, partsOf } from './conversation.ts';
import styles from './transcript.module.css';
import type { Part } from './wire.ts';
import { words } from './words.ts';

interface TranscriptProps {
  readonly entries: readonly Entry[];
  readonly isWorking: boolean;
}

export function Transcript({ entries, isWorking }: TranscriptProps) {
  const shown = listShown(entries);
  const end = useRef<HTMLLIElement>(null);
  const lengths = shown.reduce((sum, entry) => sum + partsOf(entry).length + textLength(entry), 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something was added
  useEffect(() => {
    // New browsers return a promise, which an effect must not.
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [lengths, isWorking]);
  if (shown.length === 0 && !isWorking) return null;
  return (
    <ol className={styles.transcript}>
      {shown.map((entry) => (
        <Bubble key={entry.key} entry={entry} />
      ))}
      {isWorking && (
        <li className={styles.working} ref={end}>
          <span className={styles.dots} aria-hidden="true" />
          {words.working}
        </li>
      )}
      {!isWorking && <li ref={end} aria-hidden="true" />}
    </ol>
  );
}

const textLength = (entry: Entry): number =>
  partsOf(entry).reduce((sum, { text = '' }) => sum + text.length, 0);

function Bubble({ entry }: { entry: Entry }) {
  const isOwn = entry.kind === 'message' && entry.message.role === 'ROLE_USER';
  const isFailure = entry.kind === 'message' && entry.state === 'TASK_STATE_FAILED';
  const name = entry.kind === 'artifact' ? (entry.artifact.name ?? entry.artifact.artifactId) : undefined;
  const hasText = partsOf(entry).some(({ text }) => text !== undefined);
  return (
    <li className={`${styles.bubble} ${isOwn ? styles.own : ''} ${isFailure ? styles.failure : ''}`}>
      <p className={styles.who}>
        {isOwn ? words.you : words.agentSays}
        {isUnsent(entry) && <strong>{words.unsent}</strong>}
        {name && name !== 'response' && <code>{name}</code>}
      </p>
      {partsOf(entry).map((part, index) => (
        // Parts have no ids, and are only added at the end.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <PartView key={index} part={part} isFolded={hasText} />
      ))}
    </li>
  );
}

function PartView({ part, isFolded }: { part: Part; isFolded: boolean }) {
  const { text, data, url, raw, filename, mediaType } = part;
  if (text !== undefined) return <p className={styles.text}>{text}</p>;
  const label = filename ?? mediaType ?? words.file;
  if (url !== undefined)
    return (
      <a href={url} rel="noopener noreferrer" target="_blank">
        {label}
      </a>
    );
  if (raw !== undefined)
    return (
      <a href={`data:application/octet-stream;base64,${raw}`} download={filename ?? 'file'}>
        {label}
      </a>
    );
  return <Data value={data} isFolded={isFolded} />;
}

/** The answer of an object first, as clients that accept only text are shown it. Beside a text, data repeats it. */
function Data({ value, isFolded }: { value: unknown; isFolded: boolean }) {
  const { answer, text } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  const shown = [answer, text].find((each) => typeof each === 'string');
  const json = <pre className={styles.json}>{JSON.stringify(value, undefined, 2)}</pre>;
  if (shown === undefined && !isFolded) return json;
  return (
    <>
      {shown !== undefined && <p className={styles.text}>{String(shown)}</p>}
      <details>
        <summary>{words.data}</summary>
        {json}
      </details>
    </>
  );
}
