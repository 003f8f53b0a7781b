// The JSON-RPC that the page and the agent have exchanged, as it was on the wire.
import { formatClock } from '../parts/format.ts';
import { Panel } from '../parts/page.tsx';
import styles from './exchange-list.module.css';
import type { Exchange } from './use-conversation.ts';
import { words } from './words.ts';

export const ExchangeList = ({ exchanges }: { exchanges: readonly Exchange[] }) => (
  <Panel title={words.rawTitle}>
    {exchanges.length === 0 && <p className={styles.none}>{words.noRaw}</p>}
    <ol className={styles.list}>
      {exchanges.map(({ number, at, direction, method, body }) => (
        <li key={number}>
          <details className={styles.exchange}>
            <summary>
              <span className={direction === 'sent' ? styles.sent : styles.received}>{words[direction]}</span>
              <code className={styles.name}>{direction === 'sent' ? method : nameResult(body)}</code>
              <span className={styles.time}>{formatClock(at)}</span>
            </summary>
            <pre>{JSON.stringify(body, undefined, 2)}</pre>
          </details>
        </li>
      ))}
    </ol>
  </Panel>
);

/** The member of the result that says what it is. */
function nameResult(body: unknown): string {
  const { result, error } = (body ?? {}) as { result?: object; error?: { code: number } };
  if (error) return `error ${error.code}`;
  const [only, ...others] = Object.keys(result ?? {});
  return only !== undefined && others.length === 0 ? only : 'result';
}
