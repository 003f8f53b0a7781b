// Names and values that are edited as rows.
import { useContext, useId } from 'react';
import buttons from '../parts/button.module.css';
import fields from '../parts/field.module.css';
import { describedBy, FieldError, FieldErrors } from '../parts/form.tsx';
import styles from './environments-page.module.css';
import { words } from './words.ts';

export interface PairRow {
  readonly id: number;
  readonly key: string;
  readonly value: string;
}

export const toPairRows = (record: Readonly<Record<string, unknown>> = {}): PairRow[] =>
  Object.entries(record).map(([key, value], id) => ({ id, key, value: String(value) }));

/** Rows without a name are left out. */
export const toRecord = (rows: readonly PairRow[]): Record<string, string> =>
  Object.fromEntries(rows.map(({ key, value }) => [key.trim(), value]).filter(([key]) => key !== ''));

/** The rows whose name an earlier row has already. */
export const findRepeated = (rows: readonly PairRow[]): readonly PairRow[] =>
  rows.filter(
    ({ key }, index) =>
      key.trim() !== '' && rows.slice(0, index).some((other) => other.key.trim() === key.trim()),
  );

/** The name of the field of a row, where its mistakes are shown. */
export const fieldOf = (name: string, { id }: PairRow): string => `${name}-${id}`;

interface PairRowsProps {
  readonly name: string;
  readonly rows: readonly PairRow[];
  readonly onChange: (rows: readonly PairRow[]) => void;
  readonly labels: { readonly key: string; readonly value: string; readonly add: string };
}

export function PairRows({ name, rows, onChange, labels }: PairRowsProps) {
  const id = useId();
  const errors = useContext(FieldErrors);
  const set = (id: number, part: Partial<PairRow>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const add = () =>
    onChange([...rows, { id: Math.max(-1, ...rows.map(({ id }) => id)) + 1, key: '', value: '' }]);
  return (
    <div className={styles.rows}>
      {rows.map((row) => {
        const { key, value } = row;
        const field = fieldOf(name, row);
        const error = errors.get(field);
        return (
          <div key={row.id} className={styles.row}>
            <input
              name={field}
              className={fields.input}
              aria-label={labels.key}
              placeholder={labels.key}
              value={key}
              {...describedBy(`${id}-${row.id}`, undefined, error)}
              onChange={(event) => set(row.id, { key: event.target.value })}
            />
            <input
              className={fields.input}
              aria-label={key === '' ? labels.value : `${labels.value}: ${key}`}
              placeholder={labels.value}
              value={value}
              onChange={(event) => set(row.id, { value: event.target.value })}
            />
            <button
              type="button"
              className={buttons.button}
              aria-label={words.removeRow(key)}
              onClick={() => onChange(rows.filter((other) => other.id !== row.id))}
            >
              ×
            </button>
            <FieldError id={`${id}-${row.id}`}>{error}</FieldError>
          </div>
        );
      })}
      <div>
        <button type="button" className={buttons.button} onClick={add}>
          {labels.add}
        </button>
      </div>
    </div>
  );
}
