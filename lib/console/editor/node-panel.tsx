// The nodes of the flow, beside the text: the one to edit is chosen here or in the picture, and a node is added.
import { lazy, Suspense, useId, useMemo, useRef, useState } from 'react';
import { isObject } from '#lib/flow/format/json-value.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { tryParse } from '#lib/json/try-parse.ts';
import buttons from '../parts/button.module.css';
import fields from '../parts/field.module.css';
import { Loading } from '../parts/list-state.tsx';
import { Panel } from '../parts/page.tsx';
import { isJsonText } from './flow-text.ts';
import type { NodeEditorProps } from './node-editor.tsx';
import styles from './node-form.module.css';
import { listNodes, type NodePlace } from './node-references.ts';
import { nodeWords as words } from './node-words.ts';

const NodeEditor = lazy(async () => ({ default: (await import('./node-editor.tsx')).NodeEditor }));

interface NodePanelProps extends Omit<NodeEditorProps, 'isAdding' | 'onAdding'> {
  /** The document as the check has read it. */
  readonly checked: JsonObject | undefined;
}

export function NodePanel({ checked, ...props }: NodePanelProps) {
  const { text, chosen, isReadOnly, onChoose } = props;
  const flow = useMemo(() => readFlow(text, checked), [text, checked]);
  // While somebody types in the text, it often cannot be read for a moment.
  const last = useRef(flow);
  if (flow) last.current = flow;
  const shown = last.current;
  const nodes = useMemo(() => (shown ? listNodes(shown) : []), [shown]);
  // Undefined until a node is added: then the form stays, so that the focus can return from it.
  const [isAdding, setAdding] = useState<boolean>();
  return (
    <Panel
      title={words.title}
      aside={
        flow && !isReadOnly ? (
          <button
            type="button"
            className={buttons.button}
            aria-haspopup="dialog"
            onClick={() => setAdding(true)}
          >
            {words.add}
          </button>
        ) : undefined
      }
    >
      <div className={styles.body}>
        <p className={styles.lead}>{words.lead}</p>
        {shown && !flow && <p role="status">{words.unreadable}</p>}
        {nodes.length === 0 ? (
          <p className={styles.about}>{words.noNodes}</p>
        ) : (
          <NodeChoice nodes={nodes} chosen={chosen} onChoose={onChoose} />
        )}
        {(chosen !== undefined || isAdding !== undefined) && (
          <Suspense fallback={<Loading label={words.loading} />}>
            <NodeEditor {...props} isAdding={isAdding === true} onAdding={setAdding} />
          </Suspense>
        )}
      </div>
    </Panel>
  );
}

/** The package for YAML is loaded with the form. Until then it is what the worker has read. */
function readFlow(text: string, checked: JsonObject | undefined): JsonObject | undefined {
  if (!isJsonText(text)) return checked;
  const value = tryParse(text);
  return isObject(value) ? value : undefined;
}

interface NodeChoiceProps {
  readonly nodes: readonly NodePlace[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

/** Nodes inside of others are indented by a sign that is read too. */
function NodeChoice({ nodes, chosen = '', onChoose }: NodeChoiceProps) {
  const id = useId();
  return (
    <div className={fields.field}>
      <label className={fields.label} htmlFor={id}>
        {words.node}
      </label>
      <select
        id={id}
        className={fields.input}
        value={chosen}
        onChange={({ target }) => onChoose(target.value === '' ? undefined : target.value)}
      >
        <option value="">{words.none}</option>
        {nodes.map(({ id: node, type, depth }) => (
          <option key={node} value={node}>
            {words.nodeOfType(node, type, depth)}
          </option>
        ))}
      </select>
    </div>
  );
}
