// The form of one node. Each change is a change of the text, from which the form is read again.
import { useState } from 'react';
import type { Json } from '#lib/json/json.ts';
import { pointerTo } from '#lib/json/pointer.ts';
import fields from '../parts/field.module.css';
import { removeMember, setMember } from './edit-member.ts';
import type { Problem } from './flow-text.ts';
import { NodeField } from './node-field.tsx';
import { listFields, type NodeFieldSpec } from './node-fields.ts';
import styles from './node-form.module.css';
import type { NodePlace } from './node-references.ts';
import { nodeWords as words } from './node-words.ts';
import type { Schema } from './schema-keys.ts';
import type { TextEdit, TextFormat } from './text-format.ts';

export interface NodeFormProps {
  readonly schema: Schema;
  readonly format: TextFormat;
  readonly text: string;
  readonly place: NodePlace;
  readonly problems: readonly Problem[];
  readonly isReadOnly: boolean;
  readonly onEdit: (edits: readonly TextEdit[]) => void;
}

export function NodeForm({ schema, format, text, place, problems, isReadOnly, onEdit }: NodeFormProps) {
  const { node, path, siblings, id } = place;
  const specs = listFields(schema, place.type);
  // What is shown stays where it is, also if it is set or removed meanwhile.
  const [first] = useState(
    () => new Set(specs.filter((spec) => isFirst(spec, node)).map(({ name }) => name)),
  );
  const pointer = pointerTo(path);
  const change = (name: string, value: Json | undefined, source?: string): boolean => {
    const member = [...path, name];
    if (value === undefined && !Object.hasOwn(node, name)) return true;
    const edit =
      value === undefined
        ? removeMember(format, text, member)
        : setMember(format, text, member, value, source);
    if (edit) onEdit([edit]);
    return edit !== undefined;
  };
  const toField = (spec: NodeFieldSpec) => (
    <NodeField
      key={spec.name}
      spec={spec}
      value={node[spec.name]}
      source={format.sourceOf(text, [...path, spec.name]) ?? ''}
      format={format}
      problems={spec.kind === 'nodes' ? [] : problems.filter(isAt(`${pointer}/${spec.name}`))}
      nodeIds={siblings.filter((each) => each !== id)}
      isReadOnly={isReadOnly}
      onChange={(value, source) => change(spec.name, value, source)}
    />
  );
  const names = new Set(specs.filter(({ kind }) => kind !== 'nodes').map(({ name }) => name));
  const others = problems.filter((each) => isAt(pointer)(each) && !isOfField(each, pointer, names, specs));
  const rest = specs.filter(({ name }) => !first.has(name));
  return (
    <div role="group" aria-label={words.fields(id)} className={styles.form}>
      {others.map(({ pointer: at, detail }) => (
        <p key={at + detail} className={fields.error}>
          {detail}
        </p>
      ))}
      {specs.filter(({ name }) => first.has(name)).map(toField)}
      {rest.length > 0 && (
        <details className={styles.more}>
          <summary>{words.more(rest.length)}</summary>
          <div className={styles.form}>{rest.map(toField)}</div>
        </details>
      )}
    </div>
  );
}

/** What the node has or must have, and where it continues. */
const isFirst = ({ name, isRequired }: NodeFieldSpec, node: NodePlace['node']): boolean =>
  isRequired || name === 'next' || Object.hasOwn(node, name);

const isAt = (pointer: string) => (problem: Problem) =>
  problem.pointer === pointer || problem.pointer.startsWith(`${pointer}/`);

/** Shown at a field, or at a node inside. */
function isOfField(
  problem: Problem,
  pointer: string,
  names: ReadonlySet<string>,
  specs: readonly NodeFieldSpec[],
): boolean {
  const [name = '', ...rest] = problem.pointer.slice(pointer.length + 1).split('/');
  const hasNodes = specs.some((spec) => spec.kind === 'nodes' && spec.name === name);
  return names.has(name) || (hasNodes && rest.includes('nodes'));
}
