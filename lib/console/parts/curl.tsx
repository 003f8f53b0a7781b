// The request of the API that does the same as the button beside it.
import { type CallInput, type OperationId, serviceUrl } from '../api/client.ts';
import { operations } from '../api/operations.ts';
import { CopyBlock } from './copy.tsx';
import styles from './curl.module.css';
import { words } from './words.ts';

export function Curl<Id extends OperationId>({ id, input }: { id: Id; input: CallInput<Id> }) {
  return (
    <details className={styles.command}>
      <summary>{words.withCurl}</summary>
      <CopyBlock label={words.command} text={toCurl(id, input)} />
    </details>
  );
}

interface LooseInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

function toCurl<Id extends OperationId>(id: Id, input: CallInput<Id>): string {
  const { method, path } = operations[id];
  // The schemas of the table are objects of texts.
  const { params = {}, query = {}, body } = input as LooseInput;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const url = `${serviceUrl(filled)}${search.size > 0 ? `?${search}` : ''}`;
  return [
    `curl -X ${method} "${url}"`,
    `-H "X-API-Key: $API_KEY"`,
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`]),
  ].join(' \\\n  ');
}
