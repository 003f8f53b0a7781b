// The field for the next message, and variables for the flow beside it.

import { type FormEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useState } from 'react';
import type { JsonObject } from '#lib/json/json.ts';
import buttons from '../parts/button.module.css';
import fields from '../parts/field.module.css';
import { readJsonObject } from '../parts/json-object.ts';
import styles from './composer.module.css';
import type { Part } from './wire.ts';
import { words } from './words.ts';

interface ComposerProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly isDisabled: boolean;
  readonly onSend: (text: string, more: readonly Part[]) => void;
}

export function Composer({ field, isDisabled, onSend }: ComposerProps) {
  const [text, setText] = useState('');
  const [variables, setVariables] = useState('');
  const [isMistaken, setMistaken] = useState(false);
  // Before it is painted: the first key is for the field.
  useLayoutEffect(() => field.current?.focus({ preventScroll: true }), [field]);
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    const data = readObject(variables);
    setMistaken(data === undefined);
    if (data === undefined || isDisabled || text.trim() === '') return;
    onSend(text, variables.trim() === '' ? [] : [{ data }]);
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <form className={styles.composer} onSubmit={submit}>
      <div className={styles.row}>
        <textarea
          ref={field}
          className={`${fields.input} ${styles.field}`}
          rows={1}
          aria-label={words.message}
          placeholder={words.placeholder}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <button type="submit" className={buttons.primary} disabled={isDisabled}>
          {words.send}
        </button>
      </div>
      <div className={styles.below}>
        <details>
          <summary>{words.variables}</summary>
          <textarea
            className={`${fields.input} ${styles.variables}`}
            aria-label={words.variablesLabel}
            aria-invalid={isMistaken}
            placeholder='{ "customer_name": "Ada" }'
            value={variables}
            onChange={(event) => setVariables(event.target.value)}
          />
          {isMistaken && (
            <p className={fields.error} role="alert">
              {words.notAnObject}
            </p>
          )}
        </details>
        <span className={fields.hint}>{words.keys}</span>
      </div>
    </form>
  );
}

/** Undefined for what is no object. Nothing is an empty one. */
const readObject = (text: string): JsonObject | undefined => (text.trim() === '' ? {} : readJsonObject(text));
