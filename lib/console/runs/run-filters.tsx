// The filters above the list of runs.
import buttons from '../parts/button.module.css';
import fields from '../parts/field.module.css';
import { statusLabel } from '../parts/status.tsx';
import { TextFilter } from '../parts/text-filter.tsx';
import styles from './run-filters.module.css';
import { statuses, words } from './words.ts';

/** Those that links set, and that are shown only while they are set. */
export const hiddenFilters = ['a2aregistryid', 'created_by', 'replay_of', 'fork_of'] as const;
type Name = 'status' | 'flowid' | 'environment' | 'trigger' | (typeof hiddenFilters)[number];

interface RunFiltersProps {
  readonly filters: Readonly<Partial<Record<Name, string>>>;
  readonly setFilter: (name: Name, value: string) => void;
  readonly clear: () => void;
}

const environments = ['live', 'test', 'dev', 'uat'] as const;
const triggers = ['api', 'background', 'a2a', 'webhook', 'schedule'] as const;

export function RunFilters({ filters, setFilter, clear }: RunFiltersProps) {
  const select = (name: Name, any: string, options: readonly string[], label: (value: string) => string) => (
    <select
      className={fields.input}
      aria-label={name === 'status' ? words.status : name === 'trigger' ? words.trigger : words.environment}
      value={filters[name] ?? ''}
      onChange={(event) => setFilter(name, event.target.value)}
    >
      <option value="">{any}</option>
      {withChosen(options, filters[name]).map((value) => (
        <option key={value} value={value}>
          {label(value)}
        </option>
      ))}
    </select>
  );
  return (
    <search className={fields.row}>
      {select('status', words.anyStatus, statuses, statusLabel)}
      {select('environment', words.anyEnvironment, environments, (value) => value)}
      {select('trigger', words.anyTrigger, triggers, (value) => value)}
      <TextFilter
        label={words.flowFilter}
        value={filters.flowid}
        onChange={(value) => setFilter('flowid', value)}
      />
      {hiddenFilters.map((name) => {
        const value = filters[name];
        if (value === undefined) return null;
        return (
          <button
            key={name}
            type="button"
            className={`${buttons.button} ${styles.set}`}
            onClick={() => setFilter(name, '')}
            aria-label={words.removeFilter(`${words.only[name]} ${value}`)}
          >
            <span>{words.only[name]}</span> <code>{value}</code> <span aria-hidden="true">×</span>
          </button>
        );
      })}
      {Object.keys(filters).length > 0 && (
        <button type="button" className={buttons.button} onClick={clear}>
          {words.clear}
        </button>
      )}
    </search>
  );
}

/** An address may name another one. */
const withChosen = (options: readonly string[], chosen: string | undefined): readonly string[] =>
  chosen === undefined || options.includes(chosen) ? options : [...options, chosen];
