// Warns about headers with a literal credential: whoever may read the flow can read it, and it cannot be replaced
// without another build.
import { pointerTo } from '#lib/json/pointer.ts';
import { isList, isObject } from '../format/json-value.ts';
import { hasTemplate } from '../format/template-segments.ts';
import type { Path, Warning } from './mistake.ts';
import type { ReadNode } from './read-nodes.ts';

export const findSecretWarnings = (nodes: ReadonlyMap<string, ReadNode>): readonly Warning[] =>
  [...nodes.values()].flatMap(({ node, path }) => {
    if (node?.type === 'http') return findLiterals(node.headers, [...path, 'headers']);
    if (node?.type !== 'agent') return [];
    return [
      ...findInTools(node.tools, [...path, 'tools']),
      ...(node.agents ?? []).flatMap(({ tools }, index) =>
        findInTools(tools, [...path, 'agents', index, 'tools']),
      ),
    ];
  });

const findInTools = (tools: unknown, path: Path): readonly Warning[] =>
  (isList(tools) ? tools : []).flatMap((tool, index) =>
    isObject(tool) && isObject(tool.http)
      ? findLiterals(tool.http.headers, [...path, index, 'http', 'headers'])
      : [],
  );

const findLiterals = (headers: unknown, path: Path): readonly Warning[] =>
  Object.entries(isObject(headers) ? headers : {})
    .filter(([name, value]) => typeof value === 'string' && isSecret(name.toLowerCase(), value))
    .map(([name]) => ({
      pointer: pointerTo([...path, name]),
      code: 'literal_secret',
      detail: `a credential in "${name}" can be read by everybody who reads the flow: expected it in a connection, named by \`connection\``,
    }));

/** A credential has at least this many characters, other than words such as `no-check`. */
const secretChars = 12;

function isSecret(name: string, value: string): boolean {
  if (value === '' || hasTemplate(value)) return false;
  return (
    credentials.has(name) ||
    (maybeCredential.test(name) && /^\S+$/.test(value) && value.length >= secretChars)
  );
}

const credentials: ReadonlySet<string> = new Set([
  ...['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'api-key', 'apikey', 'x-auth-token'],
  ...['private-token', 'x-goog-api-key', 'ocp-apim-subscription-key', 'x-functions-key', 'x-vault-token'],
]);

const maybeCredential = /(?:^|[-_])(?:api-?key|access-?key|auth-?key|token|secret|password)$/;
