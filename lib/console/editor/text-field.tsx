// The field for the text in a page. Its code is loaded with it.
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { Position } from '#lib/json/position.ts';
import { Loading } from '../parts/list-state.tsx';
import styles from './editor.module.css';
import { getFlowSchema } from './flow-schema.ts';
import type { Problem } from './flow-text.ts';
import type { TextEdit } from './text-format.ts';
import type { TextView } from './text-view.ts';
import { words } from './words.ts';

export interface TextFieldHandle {
  readonly goTo: (position: Position) => void;
  /** As if somebody had typed it: it can be undone. */
  readonly change: (edits: readonly TextEdit[]) => void;
}

interface FlowTextProps {
  readonly ref: Ref<TextFieldHandle>;
  /** What the field begins with. */
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly problems: readonly Problem[];
  readonly onChange: (text: string) => void;
  /** The field can be changed from now on. */
  readonly onReady: () => void;
}

export function FlowText({ ref, text, isReadOnly, problems, onChange, onReady }: FlowTextProps) {
  const host = useRef<HTMLDivElement>(null);
  const first = useRef({ text, isReadOnly });
  const changed = useRef(onChange);
  const ready = useRef(onReady);
  const [view, setView] = useState<TextView>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    changed.current = onChange;
    ready.current = onReady;
  });
  useEffect(() => {
    let isCurrent = true;
    let created: TextView | undefined;
    const create = async () => {
      const { createTextView } = await import('./text-view.ts');
      if (!isCurrent || !host.current) return;
      const onEdit = (edited: string) => changed.current(edited);
      const options = {
        host: host.current,
        label: words.flowAsText,
        getSchema: getFlowSchema,
        onChange: onEdit,
      };
      created = createTextView({ ...options, ...first.current });
      setView(created);
      ready.current();
    };
    create().catch(() => isCurrent && setFailed(true));
    return () => {
      isCurrent = false;
      created?.destroy();
    };
  }, []);
  useEffect(() => view?.showProblems(problems), [view, problems]);
  useImperativeHandle(
    ref,
    () => ({
      goTo: (position) => view?.goTo(position),
      change: (edits) => {
        for (const edit of edits) view?.change(edit);
      },
    }),
    [view],
  );
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
