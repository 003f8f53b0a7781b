// The headers of a table by which its rows are sorted, and the same as a list for screens that do not show them.
import fields from './field.module.css';
import { Icon } from './icon.tsx';
import { readSortOrder, type SortOrder, writeSortOrder } from './sort-order.ts';
import styles from './table.module.css';
import { words } from './words.ts';

interface SortableColumn {
  readonly getCanSort: () => boolean;
  readonly getIsSorted: () => 'asc' | 'desc' | false;
  readonly toggleSorting: () => void;
}

interface ColumnHeaderProps {
  readonly title: string;
  readonly isWide: boolean | undefined;
  readonly column: SortableColumn | undefined;
}

const orders = { asc: 'ascending', desc: 'descending' } as const;

/** One more press reverses the order, and the third one returns to the order of the API. */
export function ColumnHeader({ title, isWide, column }: ColumnHeaderProps) {
  const sorted = column?.getIsSorted() || undefined;
  const order = sorted && orders[sorted];
  return (
    <th scope="col" className={isWide ? styles.wide : undefined} aria-sort={order}>
      {column?.getCanSort() ? (
        <button type="button" className={styles.sort} onClick={() => column.toggleSorting()}>
          {title}
          <Icon name={order ?? 'sortable'} size={14} />
        </button>
      ) : (
        title
      )}
    </th>
  );
}

interface SortChoiceProps {
  readonly columns: readonly { readonly id: string; readonly title: string }[];
  readonly order: SortOrder | undefined;
  readonly onChange: (order: SortOrder | undefined) => void;
}

export const SortChoice = ({ columns, order, onChange }: SortChoiceProps) => (
  <div className={styles.sortChoice}>
    <select
      className={fields.input}
      aria-label={words.sortBy}
      value={order && columns.some(({ id }) => id === order.id) ? writeSortOrder(order) : ''}
      onChange={(event) => onChange(readSortOrder(event.target.value))}
    >
      <option value="">{words.unsorted}</option>
      {columns.flatMap(({ id, title }) =>
        [false, true].map((desc) => (
          <option key={`${id} ${desc}`} value={writeSortOrder({ id, desc })}>
            {words.sorted(title, desc)}
          </option>
        )),
      )}
    </select>
  </div>
);
