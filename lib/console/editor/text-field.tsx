// The field for the text in a page. Its code is loaded with it.
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { Position } from '#lib/json/position.ts';
import { fetchOrExplain, serviceUrl } from '../api/client.ts';
import { Loading } from '../parts/list-state.tsx';
import styles from './editor.module.css';
import type { Problem } from './flow-text.ts';
import type { Schema } from './schema-keys.ts';
import type { TextView } from './text-view.ts';
import { words } from './words.ts';

export interface TextFieldHandle {
  readonly goTo: (position: Position) => void;
}

interface FlowTextProps {
  readonly ref: Ref<TextFieldHandle>;
  /** What the field begins with. */
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly problems: readonly Problem[];
  readonly onChange: (text: string) => void;
}

export function FlowText({ ref, text, isReadOnly, problems, onChange }: FlowTextProps) {
  const host = useRef<HTMLDivElement>(null);
  const first = useRef({ text, isReadOnly });
  const changed = useRef(onChange);
  const [view, setView] = useState<TextView>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    changed.current = onChange;
  });
  useEffect(() => {
    let isCurrent = true;
    let created: TextView | undefined;
    const create = async () => {
      const { createTextView } = await import('./text-view.ts');
      if (!isCurrent || !host.current) return;
      const onEdit = (edited: string) => changed.current(edited);
      const options = { host: host.current, label: words.flowAsText, getSchema, onChange: onEdit };
      created = createTextView({ ...options, ...first.current });
      setView(created);
    };
    create().catch(() => isCurrent && setFailed(true));
    return () => {
      isCurrent = false;
      created?.destroy();
    };
  }, []);
  useEffect(() => view?.showProblems(problems), [view, problems]);
  useImperativeHandle(ref, () => ({ goTo: (position) => view?.goTo(position) }), [view]);
  return (
    <div className={styles.text}>
      {hasFailed && (
        <p role="alert" className={styles.note}>
          {words.textFailed}
        </p>
      )}
      {!view && !hasFailed && <Loading label={words.loadingText} />}
      <div ref={host} className={styles.host} />
    </div>
  );
}

let schema: Promise<Schema> | undefined;

/** Once for the tab; a failure is asked again with the next completion. */
function getSchema(): Promise<Schema> {
  schema ??= fetchOrExplain(serviceUrl('/schemas/flow-v1.json'), {})
    .then((response) => response.json())
    .catch((error) => {
      schema = undefined;
      throw error;
    });
  return schema;
}
