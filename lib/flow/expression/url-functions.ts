// `$parseUrl`, `$parseQuery` and `$formatQuery`: the parts of a URL.
import { isObject } from '../format/json-value.ts';
import { callError, type OwnFunctions } from './own-function.ts';
import { addSlots, countWork } from './step-budget.ts';
import { asText } from './text.ts';
import { checkedSize } from './value-size.ts';

export const urlFunctions: OwnFunctions = {
  parseUrl: {
    signature: '<s-:o>',
    parameters: 1,
    run: ([text], { budget }) => {
      if (typeof text !== 'string') return undefined;
      countWork(budget, text.length);
      const url = URL.parse(text);
      if (!url)
        throw callError('parseUrl', 'expected a URL with a scheme, such as "https://example.com/a?b=c"');
      const { protocol, hostname, port, pathname, search, hash } = url;
      const query = readQuery(search);
      addSlots(budget, checkedSize(query));
      return {
        scheme: protocol.slice(0, -1),
        host: hostname,
        port: port === '' ? null : Number(port),
        path: pathname,
        query,
        fragment: hash.slice(1),
      };
    },
  },
  parseQuery: {
    signature: '<s-:o>',
    parameters: 1,
    run: ([text], { budget }) => {
      if (typeof text !== 'string') return undefined;
      countWork(budget, text.length);
      const query = readQuery(text);
      addSlots(budget, checkedSize(query));
      return query;
    },
  },
  formatQuery: {
    signature: '<o-:s>',
    parameters: 1,
    run: ([query], { budget }) => {
      if (!isObject(query)) return undefined;
      countWork(budget, checkedSize(query));
      const pairs = new URLSearchParams();
      for (const [name, value] of Object.entries(query))
        for (const one of Array.isArray(value) ? value : [value])
          if (one !== undefined && one !== null) pairs.append(name, asText(one));
      return pairs.toString();
    },
  },
};

/** A name that occurs several times has a list. */
function readQuery(text: string): object {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const known = values.get(name);
    if (known === undefined) values.set(name, value);
    else if (Array.isArray(known)) known.push(value);
    else values.set(name, [known, value]);
  }
  return Object.fromEntries(values);
}
