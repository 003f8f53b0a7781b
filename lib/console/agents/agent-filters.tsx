// The filters above the list of agents.
import buttons from '../parts/button.module.css';
import fields from '../parts/field.module.css';
import { words } from './words.ts';

export const filterNames = ['q', 'tag', 'status', 'visibility', 'input_mode', 'output_mode'] as const;
type Name = (typeof filterNames)[number];

interface AgentFiltersProps {
  readonly filters: Readonly<Partial<Record<Name, string>>>;
  readonly setFilter: (name: Name, value: string) => void;
  readonly clear: () => void;
}

const modes = ['text/plain', 'application/json', 'image/png', 'application/pdf'] as const;

type Option = readonly [value: string, label: string];

export function AgentFilters({ filters, setFilter, clear }: AgentFiltersProps) {
  const select = (name: Name, label: string, options: readonly Option[]) => (
    <select
      className={fields.input}
      aria-label={label}
      value={filters[name] ?? ''}
      onChange={(event) => setFilter(name, event.target.value)}
    >
      {withChosen(options, filters[name]).map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
  const text = (name: Name, label: string) => (
    <input
      key={`${name} ${filters[name] ?? ''}`}
      className={fields.input}
      type="search"
      aria-label={label}
      placeholder={label}
      defaultValue={filters[name] ?? ''}
      onBlur={(event) => setFilter(name, event.target.value.trim())}
      onKeyDown={(event) => {
        if (event.key === 'Enter') setFilter(name, event.currentTarget.value.trim());
      }}
    />
  );
  return (
    <search className={fields.row}>
      {text('q', words.query)}
      {text('tag', words.tag)}
      {select('status', words.status, [
        ['', words.anyStatus],
        ['live', words.liveOnly],
        ['test', words.testOnly],
      ])}
      {select('visibility', words.visibility, [
        ['', words.anyVisibility],
        ...Object.entries(words.visibilities),
      ])}
      {select('input_mode', words.inputMode, [
        ['', words.anyInput],
        ...modes.map((mode): Option => [mode, words.takes(mode)]),
      ])}
      {select('output_mode', words.outputMode, [
        ['', words.anyOutput],
        ...modes.map((mode): Option => [mode, words.returns(mode)]),
      ])}
      {Object.keys(filters).length > 0 && (
        <button type="button" className={buttons.button} onClick={clear}>
          {words.clear}
        </button>
      )}
    </search>
  );
}

/** An address may name another value. */
const withChosen = (options: readonly Option[], chosen: string | undefined): readonly Option[] =>
  chosen === undefined || options.some(([value]) => value === chosen)
    ? options
    : [...options, [chosen, chosen]];
