// One field of the form of a node: as its schema has it, with what the check found in it.
import { Field } from '@base-ui/react/field';
import { type ReactElement, useState } from 'react';
import type { Json } from '#lib/json/json.ts';
import fields from '../parts/field.module.css';
import { Choice } from './choice.tsx';
import type { Problem } from './flow-text.ts';
import type { NodeFieldSpec } from './node-fields.ts';
import styles from './node-form.module.css';
import { nodeWords as words } from './node-words.ts';
import type { TextFormat } from './text-format.ts';

interface NodeFieldProps {
  readonly spec: NodeFieldSpec;
  readonly value: Json | undefined;
  /** The text of the value. */
  readonly source: string;
  readonly format: TextFormat;
  readonly problems: readonly Problem[];
  /** The nodes that a field of this kind can name. */
  readonly nodeIds: readonly string[];
  readonly isReadOnly: boolean;
  /** False if the text cannot be changed so. An undefined value removes the member. */
  readonly onChange: (value: Json | undefined, source?: string) => boolean;
}

export function NodeField(props: NodeFieldProps) {
  const { spec, problems } = props;
  const [own, setOwn] = useState<string>();
  const errors = [...(own ? [own] : []), ...problems.map(({ detail }) => detail)];
  return (
    <Field.Root className={fields.field} invalid={errors.length > 0}>
      <FieldName {...props} />
      <Control {...props} onMistake={setOwn} />
      {errors.length > 0 && (
        <Field.Error match className={fields.error}>
          {errors.map((each) => (
            <span key={each} className={styles.mistake}>
              {each}
            </span>
          ))}
        </Field.Error>
      )}
      <Field.Description className={fields.hint}>
        <Described text={spec.description ?? ''} />
        {spec.defaultValue !== undefined && ` ${words.byDefault(spec.defaultValue)}.`}
        {spec.kind === 'nodes' && ` ${words.inside}`}
      </Field.Description>
    </Field.Root>
  );
}

const isChosen = ({ kind }: NodeFieldSpec) => kind === 'choice' || kind === 'node';

/** The trigger of a choice is a button, which a label of HTML does not name. */
const FieldName = ({ spec }: { spec: NodeFieldSpec }) => (
  <Field.Label className={styles.name} {...(isChosen(spec) && { nativeLabel: false, render: <div /> })}>
    {spec.name}
    {spec.isRequired && <span className={styles.required}> {words.required}</span>}
  </Field.Label>
);

/** Descriptions have names in backquotes. */
const Described = ({ text }: { text: string }) =>
  text
    .split('`')
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts never change their places.
    .map((part, n) => (n % 2 === 1 ? <code key={n}>{part}</code> : part));

type ControlProps = NodeFieldProps & { readonly onMistake: (mistake: string | undefined) => void };

function Control(props: ControlProps): ReactElement | null {
  const { spec, value, onChange, onMistake } = props;
  const change = (next: Json | undefined, source?: string) =>
    onMistake(onChange(next, source) ? undefined : words.refused);
  const all = { ...props, change };
  switch (spec.kind) {
    case 'choice':
    case 'node':
      return <ChosenControl {...all} />;
    case 'nodes':
      return null;
    case 'source':
      return <SourceControl {...all} />;
    case 'value':
      return <ValueControl {...all} />;
    case 'text':
    case 'lines':
      return typeof value === 'string' || value === undefined ? (
        <TextControl {...all} />
      ) : (
        <SourceControl {...all} />
      );
    case 'number':
      return <NumberControl {...all} />;
  }
}

type ChangingProps = ControlProps & {
  readonly change: (value: Json | undefined, source?: string) => void;
};

function ChosenControl({ spec, value, nodeIds, isReadOnly, change }: ChangingProps) {
  const values = spec.kind === 'node' ? nodeIds : spec.options.map(String);
  const current = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const unset = spec.defaultValue === undefined ? words.notSet : words.byDefault(spec.defaultValue);
  const options = [
    ...(spec.isRequired && current !== '' ? [] : [{ value: '', label: unset }]),
    ...[...new Set([...values, ...(current === '' ? [] : [current])])].map((each) => ({
      value: each,
      label: each,
    })),
  ];
  const choose = (chosen: string) =>
    change(chosen === '' ? undefined : (spec.options.find((each) => String(each) === chosen) ?? chosen));
  return <Choice value={current} options={options} isReadOnly={isReadOnly} onChange={choose} />;
}

const linesMax = 14;
const countLines = (text: string): number => Math.min(linesMax, text.split('\n').length);

function TextControl({ spec, value, isReadOnly, change }: ChangingProps) {
  const text = typeof value === 'string' ? value : '';
  const isLong = spec.kind !== 'text' || text.includes('\n');
  const rows = Math.max(
    spec.kind === 'lines' && spec.schema.maxLength === undefined ? 2 : 1,
    countLines(text),
  );
  return (
    <Field.Control
      className={`${fields.input} ${styles.control} ${text.includes('{{') ? styles.code : ''}`}
      {...(isLong && { render: <textarea rows={rows} /> })}
      value={text}
      readOnly={isReadOnly}
      spellCheck={false}
      autoComplete="off"
      onValueChange={(next) => change(next === '' && !spec.isRequired ? undefined : next)}
    />
  );
}

/** A number, or an expression that gives one. */
function NumberControl({ value, isReadOnly, change }: ChangingProps) {
  const [draft, setDraft] = useState<string>();
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const type = (next: string) => {
    setDraft(next);
    const isNumber = /^\s*-?\d+(\.\d+)?([eE][+-]?\d+)?\s*$/.test(next);
    change(next === '' ? undefined : isNumber ? Number(next) : next);
  };
  return (
    <Field.Control
      className={`${fields.input} ${styles.control}`}
      value={draft ?? text}
      readOnly={isReadOnly}
      inputMode="text"
      autoComplete="off"
      onValueChange={type}
      onBlur={() => setDraft(undefined)}
    />
  );
}

/** Any value: mostly a text with an expression, or else written in the language of the flow. */
function ValueControl(props: ChangingProps) {
  const { spec, value, format } = props;
  const [isText, setText] = useState(value === undefined || typeof value === 'string');
  const canBeText = value === undefined || typeof value === 'string';
  const shown = isText && canBeText;
  return (
    <>
      <div role="group" aria-label={words.kindOf(spec.name)} className={styles.kinds}>
        {([true, false] as const).map((each) => (
          <button
            key={String(each)}
            type="button"
            className={styles.kind}
            aria-pressed={shown === each}
            disabled={each && !canBeText}
            onClick={() => setText(each)}
          >
            {each ? words.asText : format.name}
          </button>
        ))}
      </div>
      {shown ? <TextControl {...props} /> : <SourceControl {...props} />}
    </>
  );
}

/** What is typed becomes the text of the value as soon as it can be read. */
function SourceControl({ spec, source, format, isReadOnly, change, onMistake }: ChangingProps) {
  const [draft, setDraft] = useState<string>();
  const text = draft ?? source;
  const type = (next: string) => {
    setDraft(next);
    if (next.trim() === '' && !spec.isRequired) return change(undefined);
    const value = format.read(next);
    if (value === undefined) onMistake(words.notReadable(format.name));
    else change(value, next.trim());
  };
  const leave = () => {
    if (draft !== undefined && (draft.trim() === '' || format.read(draft) !== undefined)) setDraft(undefined);
  };
  return (
    <Field.Control
      className={`${fields.input} ${styles.control} ${styles.code}`}
      render={<textarea rows={Math.max(2, countLines(text))} />}
      value={text}
      readOnly={isReadOnly}
      spellCheck={false}
      onValueChange={type}
      onBlur={leave}
    />
  );
}
