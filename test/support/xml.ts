// A strict reader of XML without doctypes: it throws for whatever is not well-formed. Only for tests.

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  /** Its own, with references resolved. */
  text: string;
}

const token = /<(\/?)([A-Za-z][\w.:-]*)((?:\s+[A-Za-z][\w.:-]*="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
const references: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#96': '`',
};
const notXml = /[^\t\n\r\x20-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

export function readXml(source: string): Element {
  if (notXml.test(source)) throw new Error('The text has a character that XML cannot hold.');
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  let position = 0;
  for (const { 0: whole, 1: end, 2: name = '', 3: pairs = '', 4: isEmpty, 5: text, index } of source.matchAll(
    token,
  )) {
    position = index + whole.length;
    const around = open.at(-1) ?? root;
    if (text !== undefined) around.text += resolved(text);
    else if (end) {
      if (open.pop()?.name !== name) throw new Error(`Unexpected ${whole} at ${index}.`);
    } else {
      const element = { name, attributes: attributesIn(pairs), children: [], text: '' };
      around.children.push(element);
      if (!isEmpty) open.push(element);
    }
  }
  const [only, second] = root.children;
  if (position < source.length || open.length > 1 || !only || second || root.text.trim() !== '')
    throw new Error(`Not well-formed at ${position}: ${source.slice(position, position + 80)}`);
  return only;
}

function attributesIn(pairs: string): Record<string, string> {
  const found = [...pairs.matchAll(/([\w.:-]+)="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, value] as const,
  );
  if (new Set(found.map(([name]) => name)).size < found.length)
    throw new Error(`An attribute twice: ${pairs}`);
  return Object.fromEntries(found.map(([name, value]) => [name, resolved(value)]));
}

const resolved = (text: string) =>
  text.replace(/&([^;\s]*;?)/g, (whole, reference: string) => {
    const char = reference.endsWith(';') ? references[reference.slice(0, -1)] : undefined;
    if (char === undefined) throw new Error(`Not a reference: ${whole}`);
    return char;
  });

export const elementsIn = (element: Element): Element[] => [element, ...element.children.flatMap(elementsIn)];
