// The form of the node that is chosen, beside the text: a chunk of its own, since the text comes first.
import { Field } from '@base-ui/react/field';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { isObject } from '#lib/flow/format/json-value.ts';
import type { JsonObject } from '#lib/json/json.ts';
import buttons from '../parts/button.module.css';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import fields from '../parts/field.module.css';
import { Failure, Loading } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { AddNode } from './add-node.tsx';
import { Choice } from './choice.tsx';
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

export interface NodePanelProps {
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly chosen: string | undefined;
  readonly isReadOnly: boolean;
  readonly onChoose: (id: string | undefined) => void;
  readonly onShow: (id: string) => void;
  readonly onEdit: (edits: readonly TextEdit[]) => void;
}

export function NodePanel(props: NodePanelProps) {
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
    return <ReadyPanel key={String(isJson)} {...props} schema={schema.data} format={format.data} />;
  return (
    <Panel title={words.title}>
      {error ? (
        <Failure error={error} onRetry={() => void Promise.all([schema.refetch(), format.refetch()])} />
      ) : (
        <Loading label={words.loading} />
      )}
    </Panel>
  );
}

type ReadyProps = NodePanelProps & { readonly schema: Schema; readonly format: TextFormat };

function ReadyPanel(props: ReadyProps) {
  const { text, chosen, onChoose, schema, format } = props;
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
    <Panel
      title={words.title}
      aside={
        flow && !props.isReadOnly ? (
          <AddNode {...props} flow={flow} nodes={nodes} after={place} schema={schema} />
        ) : undefined
      }
    >
      <div className={styles.body}>
        <p className={styles.lead}>{words.lead}</p>
        {!flow && <p role="status">{words.unreadable}</p>}
        {nodes.length === 0 ? (
          <p className={styles.about}>{words.noNodes}</p>
        ) : (
          <NodeChoice nodes={nodes} chosen={place?.id} onChoose={onChoose} />
        )}
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
      </div>
    </Panel>
  );
}

interface NodeChoiceProps {
  readonly nodes: readonly NodePlace[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

/** Nodes inside of others are indented by a sign that is read too. */
const NodeChoice = ({ nodes, chosen, onChoose }: NodeChoiceProps) => (
  <Field.Root className={fields.field}>
    <Field.Label className={fields.label} nativeLabel={false} render={<div />}>
      {words.node}
    </Field.Label>
    <Choice
      value={chosen ?? ''}
      options={[
        { value: '', label: words.none },
        ...nodes.map(({ id, type, depth }) => ({ value: id, label: '› '.repeat(depth) + id, hint: type })),
      ]}
      onChange={(id) => onChoose(id === '' ? undefined : id)}
    />
  </Field.Root>
);

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
