// Adds a node to the scope of the chosen node, or to the flow.
import { Dialog } from '@base-ui/react/dialog';
import { Field } from '@base-ui/react/field';
import { type FormEvent, useState } from 'react';
import type { Json, JsonObject } from '#lib/json/json.ts';
import buttons from '../parts/button.module.css';
import dialog from '../parts/dialog.module.css';
import fields from '../parts/field.module.css';
import form from '../parts/form.module.css';
import { Choice } from './choice.tsx';
import { applyEdit, setMember } from './edit-member.ts';
import { createNode, listFields, listNodeTypes } from './node-fields.ts';
import { isNodeId, type NodePlace } from './node-references.ts';
import { nodeWords as words } from './node-words.ts';
import type { Schema } from './schema-keys.ts';
import type { MemberPath, TextEdit, TextFormat } from './text-format.ts';

interface AddNodeProps {
  readonly schema: Schema;
  readonly format: TextFormat;
  readonly text: string;
  readonly flow: JsonObject;
  readonly nodes: readonly NodePlace[];
  /** The node that is chosen. */
  readonly after: NodePlace | undefined;
  readonly onEdit: (edits: readonly TextEdit[]) => void;
  readonly onChoose: (id: string) => void;
}

interface AddNodeDialogProps extends AddNodeProps {
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

export function AddNode({ isOpen, onOpen, ...props }: AddNodeDialogProps) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={dialog.popup}>
          <Dialog.Title className={dialog.title}>{words.addTitle}</Dialog.Title>
          <Dialog.Description className={dialog.text}>{words.addText}</Dialog.Description>
          <AddForm {...props} onAdded={() => onOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function AddForm(props: AddNodeProps & { readonly onAdded: () => void }) {
  const { schema, nodes, after, onEdit, onChoose, onAdded } = props;
  const types = listNodeTypes(schema);
  const [id, setId] = useState('');
  const [type, setType] = useState('transform');
  const [isAfter, setAfter] = useState(true);
  const [mistake, setMistake] = useState<string>();
  const canFollow = after && listFields(schema, after.type).some(({ name }) => name === 'next');
  const typeId = (next: string) => {
    setId(next);
    setMistake(undefined);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = findMistake(id, nodes);
    const edits = found ? undefined : listEdits(props, id, type, canFollow && isAfter ? after : undefined);
    setMistake(found ?? (edits ? undefined : words.refused));
    if (!edits) return;
    onEdit(edits);
    onChoose(id);
    onAdded();
  };
  return (
    <form className={dialog.form} onSubmit={submit} noValidate>
      <Field.Root className={fields.field} invalid={mistake !== undefined}>
        <Field.Label className={fields.label}>{words.id}</Field.Label>
        <Field.Control className={fields.input} value={id} autoComplete="off" onValueChange={typeId} />
        {mistake && (
          <Field.Error match className={fields.error}>
            {mistake}
          </Field.Error>
        )}
        <Field.Description className={fields.hint}>{words.idHint}</Field.Description>
      </Field.Root>
      <Field.Root className={fields.field}>
        <Field.Label className={fields.label} nativeLabel={false} render={<div />}>
          {words.type}
        </Field.Label>
        <Choice
          value={type}
          options={types.map(({ name, description }) => ({
            value: name,
            label: name,
            hint: description?.replaceAll('`', ''),
          }))}
          onChange={setType}
        />
      </Field.Root>
      {canFollow && (
        <label className={form.check}>
          <input type="checkbox" checked={isAfter} onChange={(event) => setAfter(event.target.checked)} />
          {words.after(after.id)}
        </label>
      )}
      <div className={dialog.actions}>
        <Dialog.Close className={buttons.button}>{words.cancel}</Dialog.Close>
        <button type="submit" className={buttons.primary}>
          {words.add}
        </button>
      </div>
    </form>
  );
}

const findMistake = (id: string, nodes: readonly NodePlace[]): string | undefined => {
  if (!isNodeId(id)) return words.idInvalid;
  return nodes.some((node) => node.id === id) ? words.idTaken : undefined;
};

/** The new node continues where the one before it did. */
function listEdits(
  { schema, format, text, flow, after: chosen }: AddNodeProps,
  id: string,
  type: string,
  after: NodePlace | undefined,
): readonly TextEdit[] | undefined {
  const scope = chosen ? chosen.path.slice(0, -2) : [];
  const next = after?.node.next;
  const hasNext = listFields(schema, type).some(({ name }) => name === 'next');
  const node = { ...createNode(schema, type, id), ...(hasNext && next !== undefined && { next }) };
  const inNodes: (readonly [MemberPath, Json])[] =
    chosen || Object.hasOwn(flow, 'nodes')
      ? [[[...scope, 'nodes', id], node]]
      : [[['nodes'], { [id]: node }]];
  const changes = [...inNodes, ...(after ? [[[...after.path, 'next'], id] as const] : [])];
  let changed = text;
  const edits: TextEdit[] = [];
  for (const [path, value] of changes) {
    const edit = setMember(format, changed, path, value);
    if (!edit) return undefined;
    edits.push(edit);
    changed = applyEdit(changed, edit);
  }
  return edits;
}
