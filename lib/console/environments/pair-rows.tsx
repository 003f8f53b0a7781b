// Names and values that are edited as rows.
import buttons from '../parts/button.module.css';
import fields from '../parts/field.module.css';
import styles from './environments-page.module.css';
import { words } from './words.ts';

export interface PairRow {
  readonly id: number;
  readonly key: string;
  readonly value: string;
}

export const toPairRows = (record: Readonly<Record<string, unknown>> = {}): PairRow[] =>
  Object.entries(record).map(([key, value], id) => ({ id, key, value: String(value) }));

/** Undefined if a name is given twice. Rows without a name are left out. */
export function toRecord(rows: readonly PairRow[]): Record<string, string> | undefined {
  const named = rows.map((row) => ({ ...row, key: row.key.trim() })).filter(({ key }) => key !== '');
  const record = Object.fromEntries(named.map(({ key, value }) => [key, value]));
  return Object.keys(record).length === named.length ? record : undefined;
}

interface PairRowsProps {
  readonly rows: readonly PairRow[];
  readonly onChange: (rows: readonly PairRow[]) => void;
  readonly labels: { readonly key: string; readonly value: string; readonly add: string };
}

export function PairRows({ rows, onChange, labels }: PairRowsProps) {
  const set = (id: number, part: Partial<PairRow>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const add = () =>
    onChange([...rows, { id: Math.max(-1, ...rows.map(({ id }) => id)) + 1, key: '', value: '' }]);
  return (
    <div className={styles.rows}>
      {rows.map(({ id, key, value }) => (
        <div key={id} className={styles.row}>
          <input
            className={fields.input}
            aria-label={labels.key}
            placeholder={labels.key}
            value={key}
            onChange={(event) => set(id, { key: event.target.value })}
          />
          <input
            className={fields.input}
            aria-label={key === '' ? labels.value : `${labels.value}: ${key}`}
            placeholder={labels.value}
            value={value}
            onChange={(event) => set(id, { value: event.target.value })}
          />
          <button
            type="button"
            className={buttons.button}
            aria-label={words.removeRow(key)}
            onClick={() => onChange(rows.filter((row) => row.id !== id))}
          >
            ×
          </button>
        </div>
      ))}
      <div>
        <button type="button" className={buttons.button} onClick={add}>
          {labels.add}
        </button>
      </div>
    </div>
  );
}
