// The text of the editor with what its check found, soon after the last key.
import { useEffect, useRef, useState } from 'react';
import type { CheckedText } from './check-text.ts';
import type { AskWorker } from './use-flow-worker.ts';

const pauseMs = 300;

export interface Check extends CheckedText {
  /** The text that was checked. */
  readonly text: string;
  /** The check itself could not run. */
  readonly hasFailed?: boolean;
}

/** The result may be that of an earlier text. */
export function useCheckedText(text: string, ask: AskWorker): Check | undefined {
  const [check, setCheck] = useState<Check>();
  const isFirst = useRef(true);
  useEffect(() => {
    let isCurrent = true;
    const show = (result: CheckedText & { readonly hasFailed?: boolean }) =>
      isCurrent && setCheck({ ...result, text });
    const start = () =>
      ask('check', { text }).then(show, () =>
        show({ flow: undefined, problems: [], unlisted: 0, hasFailed: true }),
      );
    const timer = setTimeout(start, isFirst.current ? 0 : pauseMs);
    isFirst.current = false;
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text, ask]);
  return check;
}
