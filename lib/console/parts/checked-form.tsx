// A form that shows the mistakes of a refused request at its fields, and moves the focus to the first.
import { type FormEventHandler, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { ApiError } from '../api/problem.ts';
import dialog from './dialog.module.css';
import { type FieldPointers, nonePlaced, placeMistakes } from './field-errors.ts';
import page from './form.module.css';
import { FieldErrors } from './form.tsx';
import { Failure } from './list-state.tsx';

interface CheckedFormProps {
  readonly error: unknown;
  readonly pointers: FieldPointers;
  /** Mistakes that the page itself has found, by the name of their field. */
  readonly own?: ReadonlyMap<string, string> | undefined;
  readonly onSubmit: FormEventHandler<HTMLFormElement>;
  readonly children: ReactNode;
  readonly actions: ReactNode;
  readonly isInDialog?: boolean;
}

export function CheckedForm({
  error,
  pointers,
  own,
  onSubmit,
  children,
  actions,
  isInDialog = false,
}: CheckedFormProps) {
  const styles = isInDialog ? dialog : page;
  const form = useRef<HTMLFormElement>(null);
  const [{ atFields, others }, place] = useState(nonePlaced);
  const pointersNow = useRef(pointers);
  pointersNow.current = pointers;
  useLayoutEffect(() => {
    const mistakes = error instanceof ApiError ? (error.problem.fields ?? []) : [];
    // A group of radio buttons is a list.
    const isShown = (name: string) => Boolean(form.current?.elements.namedItem(name));
    place(placeMistakes(mistakes, pointersNow.current, isShown));
  }, [error]);
  const shown = own?.size ? own : atFields;
  useEffect(() => {
    if (shown.size > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [shown]);
  return (
    <form ref={form} className={styles.form} onSubmit={onSubmit}>
      <FieldErrors value={shown}>{children}</FieldErrors>
      {error !== null && error !== undefined && <Failure error={error} fields={others} />}
      <div className={styles.actions}>{actions}</div>
    </form>
  );
}
