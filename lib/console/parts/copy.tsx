// Texts to take along: a button that copies, alone or on a block of code.
import { Toast } from '@base-ui/react/toast';
import buttons from './button.module.css';
import styles from './copy.module.css';
import { Icon } from './icon.tsx';
import { words } from './words.ts';

interface CopyProps {
  readonly text: string;
  /** What is copied, for those who do not see the text beside it. */
  readonly label: string;
}

export function CopyButton({ text, label }: CopyProps) {
  const toasts = Toast.useToastManager();
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    toasts.add({ title: words.copied });
  };
  return (
    <button
      type="button"
      className={buttons.button}
      aria-label={`${words.copy}: ${label}`}
      onClick={() => void copy()}
    >
      <Icon name="copy" size={16} />
      {words.copy}
    </button>
  );
}

export const CopyBlock = ({ text, label }: CopyProps) => (
  <div className={styles.block}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
    <pre tabIndex={0} aria-label={label} role="region">
      {text}
    </pre>
    <CopyButton text={text} label={label} />
  </div>
);
