// What is done to nodes by forms: that of the chosen node, and the one that adds a node. It is a chunk of its own, which
// is loaded with the first node that is chosen or added.
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { isObject } from '#lib/flow/format/json-value.ts';
import type { JsonObject } from '#lib/json/json.ts';
import buttons from '../parts/button.module.css';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Failure, Loading } from '../parts/list-state.tsx';
import { AddNode } from './add-node.tsx';
import { loadFormat, removeMember } from './edit-member.ts';
import { getFlowSchema } from './flow-schema.ts';
import { isJsonText, type Problem } from './flow-text.ts';
import { listNodeTypes } from './node-fields.ts';
import styles from './node-form.module.css';
import { NodeForm } from './node-form.tsx';
import { findReferences, listNodes, type NodePlace } from './node-references.ts';
import { nodeWords as words } from './node-words.ts';
import type { Schema } from './schema-keys.ts';
import type { TextEdit, TextFormat } from './text-format.ts';

export interface NodeEditorProps {
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly chosen: string | undefined;
  readonly isReadOnly: boolean;
  readonly isAdding: boolean;
  readonly onAdding: (isAdding: boolean) => void;
  readonly onChoose: (id: string | undefined) => void;
  readonly onShow: (id: string) => void;
  readonly onEdit: (edits: readonly TextEdit[]) => void;
}

export function NodeEditor(props: NodeEditorProps) {
  const { text } = props;
  const isJson = isJsonText(text);
  const schema = useQuery({ queryKey: ['flow-schema'], queryFn: getFlowSchema, staleTime: Infinity });
  const format = useQuery({
    queryKey: ['text-format', isJson],
    queryFn: () => loadFormat(text),
    staleTime: Infinity,
  });
  const error = schema.error ?? format.error;
  if (schema.data && format.data)
    return <ReadyEditor key={String(isJson)} {...props} schema={schema.data} format={format.data} />;
  return error ? (
    <Failure error={error} onRetry={() => void Promise.all([schema.refetch(), format.refetch()])} />
  ) : (
    <Loading label={words.loading} />
  );
}

type ReadyProps = NodeEditorProps & { readonly schema: Schema; readonly format: TextFormat };

function ReadyEditor(props: ReadyProps) {
  const { text, chosen, isAdding, onAdding, format } = props;
  const flow = useMemo(() => {
    const value = format.read(text);
    return isObject(value) ? value : undefined;
  }, [format, text]);
  // While somebody types in the text, it often cannot be read for a moment.
  const last = useRef({ flow, text });
  if (flow) last.current = { flow, text };
  const shown = last.current;
  const nodes = useMemo(() => (shown.flow ? listNodes(shown.flow) : []), [shown.flow]);
  const place = nodes.find(({ id }) => id === chosen);
  const isReadOnly = props.isReadOnly || !flow;
  return (
    <>
      {place && (
        <>
          <About {...props} place={place} flow={shown.flow} isReadOnly={isReadOnly} />
          <NodeForm
            {...props}
            key={`${place.id} ${place.type}`}
            text={shown.text}
            place={place}
            isReadOnly={isReadOnly}
          />
        </>
      )}
      {flow && (
        <AddNode {...props} flow={flow} nodes={nodes} after={place} isOpen={isAdding} onOpen={onAdding} />
      )}
    </>
  );
}

interface AboutProps extends ReadyProps {
  readonly place: NodePlace;
  readonly flow: JsonObject | undefined;
}

function About({ place, flow, schema, format, text, isReadOnly, onShow, onChoose, onEdit }: AboutProps) {
  const { id, type, path } = place;
  const description = listNodeTypes(schema).find(({ name }) => name === type)?.description;
  const remove = async () => {
    const edit = removeMember(format, text, path);
    if (!edit) throw new Error(words.refused);
    onEdit([edit]);
  };
  return (
    <>
      <p className={styles.about}>
        <code>{type}</code> {description?.replaceAll('`', '')}
      </p>
      <div className={styles.actions}>
        <button type="button" className={buttons.button} onClick={() => onShow(id)}>
          {words.show}
        </button>
        {!isReadOnly && (
          <ConfirmButton
            label={words.remove}
            title={words.removeTitle(id)}
            text={words.removeText(flow ? findReferences(flow, id) : [])}
            action={remove}
            onDone={() => onChoose(undefined)}
          />
        )}
      </div>
    </>
  );
}
