// A short text to take along: an address, or a secret that is shown once.
import { CopyButton } from './copy.tsx';
import styles from './copy-text.module.css';

export const CopyText = ({ text, label }: { text: string; label: string }) => (
  <div className={styles.line}>
    <code className={styles.text}>{text}</code>
    <CopyButton text={text} label={label} />
  </div>
);
