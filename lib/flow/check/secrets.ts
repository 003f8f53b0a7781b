// Warns about literal credentials in headers, queries and URLs: whoever may read the flow can read them, and they cannot
// be replaced without another build.
import { pointerTo } from '#lib/json/pointer.ts';
import { isList, isObject } from '../format/json-value.ts';
import { hasTemplate, wholeExpression } from '../format/template-segments.ts';
import type { Path, Warning } from './mistake.ts';
import type { ReadNode } from './read-nodes.ts';

export const findSecretWarnings = (nodes: ReadonlyMap<string, ReadNode>): readonly Warning[] =>
  [...nodes.values()].flatMap(({ node, path }) => {
    if (node?.type === 'http') return findInRequest(node, path);
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
    isObject(tool) && isObject(tool.http) ? findInRequest(tool.http, [...path, index, 'http']) : [],
  );

interface Request {
  readonly headers?: unknown;
  readonly query?: unknown;
  readonly url?: unknown;
}

const findInRequest = ({ headers, query, url }: Request, path: Path): readonly Warning[] => [
  ...findLiterals(headers, [...path, 'headers'], isSecretHeader),
  ...findLiterals(query, [...path, 'query'], isSecretParameter),
  ...findInUrl(url, [...path, 'url']),
];

type IsSecret = (name: string, literal: string) => boolean;

const findLiterals = (values: unknown, path: Path, isSecret: IsSecret): readonly Warning[] =>
  Object.entries(isObject(values) ? values : {})
    .filter(
      ([name, value]) =>
        typeof value === 'string' &&
        (hasKnownForm(value) || isSecret(name.toLowerCase(), readLiteral(value) ?? '')),
    )
    .map(([name]) => describe(name, [...path, name]));

function findInUrl(url: unknown, path: Path): readonly Warning[] {
  if (typeof url !== 'string') return [];
  if (hasKnownForm(url)) return [describe('url', path)];
  const found = [...url.matchAll(/[?&]([\w-]+)=([^&#{}\s]+)/g)].find(([, name = '', value = '']) =>
    isSecretParameter(name.toLowerCase(), value),
  );
  return found ? [describe(found[1] ?? '', path)] : [];
}

const describe = (name: string, path: Path): Warning => ({
  pointer: pointerTo(path),
  code: 'literal_secret',
  detail: `a credential in "${name}" can be read by everybody who reads the flow: expected it in a connection, named by \`connection\``,
});

/** A text without a template, or with one that is a text in quotes. Undefined if the value depends on anything. */
function readLiteral(value: string): string | undefined {
  if (!hasTemplate(value)) return value;
  const [, double, single] = /^\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*$/.exec(wholeExpression(value) ?? '') ?? [];
  return double ?? single;
}

/** How keys of well-known providers begin, wherever they are. */
const hasKnownForm = (value: string): boolean => knownForms.test(value);

const knownForms =
  /\b(?:sk-(?=[\w-]{0,40}\d)[\w-]{20}|[sr]k_(?:live|test)_\w{16}|gh[pousr]_\w{30}|github_pat_\w{22}|xox[abeprs]-[\w-]{10}|AKIA[0-9A-Z]{16}|AIza[\w-]{35})/;

/** A credential has at least this many characters, other than words such as `no-check`. */
const secretChars = 12;

const isSecretHeader: IsSecret = (name, literal) =>
  literal !== '' && (credentials.has(name) || isSecretParameter(name, literal));

const isSecretParameter: IsSecret = (name, literal) => {
  if (!/^\S+$/.test(literal) || literal.length < secretChars) return false;
  return maybeCredential.test(name) || (/^(?:key|sig|signature)$/.test(name) && /\d/.test(literal));
};

const credentials: ReadonlySet<string> = new Set([
  ...['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'api-key', 'apikey', 'x-auth-token'],
  ...['private-token', 'x-goog-api-key', 'ocp-apim-subscription-key', 'x-functions-key', 'x-vault-token'],
]);

const maybeCredential = /(?:^|[-_])(?:api[-_]?key|access[-_]?key|auth[-_]?key|token|secret|password)$/;
