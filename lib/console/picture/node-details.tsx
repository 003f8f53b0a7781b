// A chosen node: what it is, what it works with, and its definition in the flow.
import type { JsonObject } from '#lib/json/json.ts';
import { findNode } from './find-node.ts';
import styles from './node-details.module.css';
import { words } from './words.ts';

interface NodeDetailsProps {
  readonly id: string;
  readonly flow: JsonObject;
  readonly onClose: () => void;
}

export function NodeDetails({ id, flow, onClose }: NodeDetailsProps) {
  const node = findNode(flow, id);
  if (!node) return null;
  return (
    <aside className={styles.panel} aria-label={words.details}>
      <header className={styles.head}>
        <h3>{typeof node.title === 'string' ? node.title : id}</h3>
        <button type="button" className={styles.close} onClick={onClose} aria-label={words.close}>
          ×
        </button>
      </header>
      <p className={styles.type}>
        {String(node.type)} · <code>{id}</code>
      </p>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
        tabIndex={0}
        role="region"
        aria-label={words.definition}
        className={styles.definition}
      >
        {JSON.stringify(node, undefined, 2)}
      </pre>
    </aside>
  );
}
