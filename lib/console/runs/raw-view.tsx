// What the API answers of a run, and what its flow has put out.
import { Toast } from '@base-ui/react/toast';
import buttons from '../parts/button.module.css';
import { Icon } from '../parts/icon.tsx';
import { Panel } from '../parts/page.tsx';
import { words as common } from '../parts/words.ts';
import type { RunDetail } from './queries.ts';
import styles from './raw-view.module.css';
import { words } from './words.ts';

export const RawView = ({ run }: { run: RunDetail }) => <Json value={run} label={words.raw} />;

export function OutputPanel({ run: { response } }: { run: RunDetail }) {
  return (
    <Panel title={words.output}>
      <Json value={response} label={words.output} />
    </Panel>
  );
}

export function Json({ value, label }: { value: unknown; label: string }) {
  const toasts = Toast.useToastManager();
  const text = JSON.stringify(value, undefined, 2);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    toasts.add({ title: common.copied });
  };
  return (
    <div className={styles.json}>
      <button type="button" className={buttons.button} onClick={() => void copy()}>
        <Icon name="copy" size={16} />
        {common.copy}
      </button>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <pre tabIndex={0} aria-label={label} role="group">
        {text}
      </pre>
    </div>
  );
}
