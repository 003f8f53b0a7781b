// What the parser of JSONata finds wrong, in words that name what is missing and the cure. Its own messages speak of
// tokens and unary operators.

/** What the library throws. `token` is the part of the source where it stopped, `value` what it expected. */
interface SyntaxFault {
  readonly code: string;
  readonly token?: unknown;
  readonly value?: unknown;
}

const closing: ReadonlySet<string> = new Set([')', ']', '}']);

type Describe = (token: string, value: string) => string;

const descriptions: Readonly<Record<string, Describe>> = {
  S0101: () => 'a text has no closing quotation mark',
  S0102: (token) => `the number ${token} is too large`,
  S0103: (token) => `a text has the escape \\${token}, which is unknown: a backslash is written \\\\`,
  S0104: () => 'a text has \\u without four hexadecimal digits after it',
  S0105: () => 'a name that begins with a backtick has no closing backtick',
  S0106: () => 'a comment that begins with /* has no closing */',
  S0201: describeUnexpected,
  S0202: (token, value) => `expected "${value}" before "${token}"`,
  S0203: (_token, value) =>
    `expected "${value}" at the end${closing.has(value) ? ': what it closes is still open' : ''}`,
  S0204: (token) => `"${token}" is not an operator of JSONata`,
  S0207: () => 'expected a value at the end, after the last operator',
  S0208: (_token, value) => `expected "$" before the name of parameter ${value}, as in \`function($x){ … }\``,
  S0211: (token) => `expected a value before "${token}"`,
  S0212: () => 'expected a variable such as $total before ":="',
  S0213: (_token, value) => `expected a field after ".", not the value ${value}`,
  S0214: (token) => `expected a variable such as $i after "${token}"`,
  S0217: () => '"%" reads the object around an element, and nothing before it in the path has one',
  S0301: () => 'a regular expression is empty',
  S0302: () => 'a regular expression has no closing "/"',
};

function describeUnexpected(token: string): string {
  if (closing.has(token)) return `"${token}" closes nothing: expected an opening bracket before it`;
  if (token === ';')
    return 'expected ";" only between the expressions of a block, as in `( $x := 1; $x + 1 )`';
  return `expected an operator before "${token}", such as "&" to join texts, "." to read a field or "," between arguments`;
}

/** Undefined for what has no description here. */
export function describeSyntaxFault(error: unknown): string | undefined {
  if (!isFault(error)) return undefined;
  const text = descriptions[error.code]?.(print(error.token), print(error.value));
  return text && `${text}.`;
}

const isFault = (error: unknown): error is SyntaxFault =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string';

/** The end of the source is no token that has a text. */
const print = (token: unknown): string => (token === '(end)' ? 'the end' : String(token));
