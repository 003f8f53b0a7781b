// A table whose rows can be sorted by its columns, and chosen. Both act on the rows that it is given.
import {
  type ColumnDef,
  createSortedRowModel,
  type Row,
  type RowData,
  type RowSelectionState,
  rowSelectionFeature,
  rowSortingFeature,
  type SortingState,
  type Table,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type Dispatch, type ReactNode, type SetStateAction, useEffect, useMemo, useRef } from 'react';
import { ColumnHeader, SortChoice } from './column-header.tsx';
import { useSortOrder } from './sort-order.ts';
import styles from './table.module.css';
import { words } from './words.ts';

export interface Column<Item> {
  /** Its name in the address, if the rows can be sorted by it. */
  readonly id: string;
  readonly title: string;
  readonly cell: (item: Item) => ReactNode;
  /** Without it, the rows cannot be sorted by the column. A time is a number, so that the newest comes first. */
  readonly sortBy?: (item: Item) => string | number | undefined;
  /** It names the row. */
  readonly isHeader?: boolean;
  /** Left out on narrow screens. */
  readonly isWide?: boolean;
  /** Where screens are too narrow for headers, its title is before the text. */
  readonly isSoft?: boolean;
}

/** The ids of the chosen rows. */
export type Chosen = RowSelectionState;

export interface Selection<Item> {
  readonly chosen: Chosen;
  readonly onChange: Dispatch<SetStateAction<Chosen>>;
  readonly label: (item: Item) => string;
  readonly labelAll: string;
}

interface DataTableProps<Item> {
  readonly label: string;
  /** Both should be the same between renderings as long as nothing changes. */
  readonly items: readonly Item[];
  readonly columns: readonly Column<Item>[];
  readonly idOf: (item: Item) => string;
  /** The buttons at the end of each row. */
  readonly actions?: ((item: Item) => ReactNode) | undefined;
  readonly selection?: Selection<Item> | undefined;
}

const features = tableFeatures({
  rowSelectionFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
});
type Features = typeof features;

export function DataTable<Item extends RowData>(props: DataTableProps<Item>) {
  const { label, columns, actions, selection } = props;
  const { order, setOrder } = useSortOrder();
  const sortable = columns.filter(({ sortBy }) => sortBy);
  const table = useSortedTable(props);
  return (
    <>
      {sortable.length > 0 && <SortChoice columns={sortable} order={order} onChange={setOrder} />}
      <table className={styles.table} aria-label={label}>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className={styles.check}>
                <ChooseAll table={table} label={selection.labelAll} />
              </th>
            )}
            {columns.map(({ id, title, isWide }) => (
              <ColumnHeader key={id} title={title} isWide={isWide} column={table.getColumn(id)} />
            ))}
            {actions && (
              <th scope="col">
                <span className="visually-hidden">{words.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <TableRow key={row.id} row={row} {...props} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function useSortedTable<Item extends RowData>({ items, columns, idOf, selection }: DataTableProps<Item>) {
  const { order, setOrder } = useSortOrder();
  const definitions = useMemo(() => columns.map(toDefinition), [columns]);
  const sorting: SortingState = order ? [order] : [];
  return useTable({
    features,
    data: items,
    columns: definitions,
    getRowId: idOf,
    enableMultiSort: false,
    state: { sorting, rowSelection: selection?.chosen ?? {} },
    onSortingChange: (change) => setOrder((typeof change === 'function' ? change(sorting) : change)[0]),
    ...(selection && { onRowSelectionChange: selection.onChange }),
  });
}

const toDefinition = <Item extends RowData>({ id, sortBy }: Column<Item>): ColumnDef<Features, Item> => ({
  id,
  accessorFn: sortBy ?? (() => undefined),
  enableSorting: sortBy !== undefined,
  sortFn: compareRows,
  sortUndefined: 'last',
});

/** Words as people sort them, in which `build 9` comes before `build 10`. */
const { compare } = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

function compareRows<Item extends RowData>(
  a: Row<Features, Item>,
  b: Row<Features, Item>,
  id: string,
): number {
  const [first, second] = [a.getValue(id), b.getValue(id)];
  return typeof first === 'number' && typeof second === 'number'
    ? first - second
    : compare(String(first), String(second));
}

interface TableRowProps<Item extends RowData> extends DataTableProps<Item> {
  readonly row: Row<Features, Item>;
}

function TableRow<Item extends RowData>({ row, columns, actions, selection }: TableRowProps<Item>) {
  const item = row.original;
  return (
    <tr>
      {selection && (
        <td className={styles.check}>
          <input
            type="checkbox"
            data-row
            aria-label={selection.label(item)}
            checked={row.getIsSelected()}
            onChange={row.getToggleSelectedHandler()}
          />
        </td>
      )}
      {columns.map(({ id, title, cell, isHeader, isWide, isSoft }) => {
        const Cell = isHeader ? 'th' : 'td';
        const className = [isWide && styles.wide, isSoft && styles.soft].filter(Boolean).join(' ');
        return (
          <Cell
            key={id}
            scope={isHeader ? 'row' : undefined}
            className={className || undefined}
            data-title={isSoft ? title : undefined}
          >
            {cell(item)}
          </Cell>
        );
      })}
      {actions && (
        <td>
          <div className={styles.buttons}>{actions(item)}</div>
        </td>
      )}
    </tr>
  );
}

interface ChooseAllProps<Item extends RowData> {
  readonly table: Pick<
    Table<Features, Item>,
    'getIsAllRowsSelected' | 'getIsSomeRowsSelected' | 'getToggleAllRowsSelectedHandler'
  >;
  readonly label: string;
}

function ChooseAll<Item extends RowData>({ table, label }: ChooseAllProps<Item>) {
  const box = useRef<HTMLInputElement>(null);
  const isAll = table.getIsAllRowsSelected();
  const isPart = table.getIsSomeRowsSelected() && !isAll;
  useEffect(() => {
    if (box.current) box.current.indeterminate = isPart;
  }, [isPart]);
  return (
    <input
      ref={box}
      type="checkbox"
      aria-label={label}
      checked={isAll}
      onChange={table.getToggleAllRowsSelectedHandler()}
    />
  );
}
