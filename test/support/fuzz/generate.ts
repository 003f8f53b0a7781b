// From an operation of the document to requests for it: most are nearly right, so that they get past the
// first check that would refuse them.
import fc from 'fast-check';
import { fitting, jsonSchema } from '#test/support/arbitrary-json.ts';
import type { ApiDocument, Operation, Parameter } from './api-document.ts';
import { boundaryValues } from './boundary.ts';
import type { Credential, FuzzRequest } from './fuzz-request.ts';
import { bodies } from './generate-body.ts';
import { hostileQuery, hostileText } from './hostile.ts';

/** Values that mean something to the service, by the name of the parameter or member. */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

export interface Seeds {
  readonly known: KnownValues;
  /** What requests may destroy. */
  readonly spare: KnownValues;
  /** Bodies for operations whose schema says little. */
  readonly bodies?: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  /** Headers that go together, such as a signature and what it signs. */
  readonly headers?: Readonly<Record<string, fc.Arbitrary<readonly (readonly [string, string])[]>>>;
}

export function requestsFor(
  document: ApiDocument,
  operation: Operation,
  seeds: Seeds,
): fc.Arbitrary<FuzzRequest> {
  const known = operation.method === 'DELETE' ? { ...seeds.known, ...seeds.spare } : seeds.known;
  return fc.record({
    operation: fc.constant(operation),
    method: methods(operation),
    path: paths(document, operation, known),
    query: queries(document, operation, known),
    rawQuery: rarely(hostileQuery),
    headers: headers(document, operation, seeds),
    credential: credentials(operation),
    body: bodies(document, operation, seeds),
  });
}

const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 40 }, { arbitrary, weight: 1 });

/** Mostly its own, else one that its path does not have. */
function methods({ method, allowed }: Operation): fc.Arbitrary<string> {
  const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].filter(
    (each) => !allowed.includes(each) && !(each === 'HEAD' && method !== 'GET' && allowed.includes('GET')),
  );
  return fc.oneof(
    { arbitrary: fc.constant(method), weight: 40 },
    { arbitrary: fc.constantFrom(...others), weight: 1 },
  );
}

const inPlace = ({ parameters }: Operation, place: Parameter['in']) =>
  parameters.filter((each) => each.in === place);

/** A text for a parameter: one that exists, one that fits, one at an edge, or a hostile one. */
function values({ schemas }: ApiDocument, { name, schema }: Parameter, known: KnownValues) {
  const existing = known[name] ?? [];
  const made = fitting(schema, schemas);
  const edges = boundaryValues(schema, schemas);
  return fc.oneof(
    { arbitrary: existing.length > 0 ? fc.constantFrom<unknown>(...existing) : made, weight: 12 },
    { arbitrary: made, weight: 4 },
    { arbitrary: edges.length > 0 ? fc.constantFrom(...edges) : made, weight: 2 },
    { arbitrary: hostileText, weight: 1 },
  );
}

/** As many as a URL has room for: the gateway refuses longer ones before the service sees them. */
const asText = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 3_000).toWellFormed();

/** Not what a URL would lose or split. */
const isPathPart = (text: string) => text !== '' && !/^\.{1,2}$/.test(text);

function paths(document: ApiDocument, operation: Operation, known: KnownValues) {
  const parts = inPlace(operation, 'path').map((each) => [
    each.name,
    values(document, each, known).map(asText).filter(isPathPart),
  ]);
  return fc.record<Record<string, string>>(Object.fromEntries(parts));
}

type Pairs = readonly (readonly [string, string])[];

function queries(document: ApiDocument, operation: Operation, known: KnownValues): fc.Arbitrary<Pairs> {
  const own = inPlace(operation, 'query').map((each): fc.Arbitrary<Pairs> => {
    const isList = jsonSchema.parse(each.schema).type === 'array';
    const value = values(document, each, known);
    const once = value.map(
      (some): Pairs => (isList ? [some].flat() : [some]).map((one) => [each.name, asText(one)]),
    );
    const twice = fc.tuple(once, once).map((both) => both.flat());
    return fc.oneof(
      { arbitrary: once, weight: each.required ? 38 : 12 },
      { arbitrary: fc.constant<Pairs>([]), weight: each.required ? 1 : 26 },
      { arbitrary: twice, weight: 1 },
    );
  });
  const unknown = fc
    .tuple(hostileText.map(asText), hostileText.map(asText))
    .filter(([name]) => name !== '')
    .map((pair): Pairs => [pair]);
  const more = fc.oneof({ arbitrary: fc.constant<Pairs>([]), weight: 30 }, { arbitrary: unknown, weight: 1 });
  return fc.tuple(...own, more).map((all) => all.flat());
}

/** Node's client sends no other characters in a header. */
const headerText = hostileText.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 12_000));

const contentTypes = fc.oneof(
  {
    arbitrary: fc.constantFrom('application/json', 'application/json; charset=utf-8', 'Application/JSON'),
    weight: 30,
  },
  {
    arbitrary: fc.constantFrom(
      'application/a2a+json',
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      '',
    ),
    weight: 1,
  },
);

function headers(document: ApiDocument, operation: Operation, seeds: Seeds): fc.Arbitrary<Pairs> {
  const own = inPlace(operation, 'header').map((each) => {
    const name = each.name.toLowerCase();
    const likely = values(document, each, { [each.name]: etags }).map((value) => asText(value).slice(0, 400));
    const value = fc.oneof({ arbitrary: likely, weight: 3 }, { arbitrary: headerText, weight: 1 });
    const present = value.map((text): Pairs => [[name, text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').trim()]]);
    return fc.oneof({ arbitrary: fc.constant<Pairs>([]), weight: 2 }, { arbitrary: present, weight: 1 });
  });
  const together = seeds.headers?.[operation.id] ?? fc.constant<Pairs>([]);
  const type = operation.body
    ? contentTypes.map((text): Pairs => [['content-type', text]])
    : fc.constant<Pairs>([]);
  const strange = fc
    .tuple(
      fc.constantFrom(
        'x-forwarded-host',
        'x-http-method-override',
        'accept',
        'a2a-version',
        'x-request-id',
        'accept-encoding',
      ),
      headerText,
    )
    .map((pair): Pairs => [pair]);
  const more = fc.oneof({ arbitrary: fc.constant<Pairs>([]), weight: 12 }, { arbitrary: strange, weight: 1 });
  return fc.tuple(...own, together, type, more).map((all) => all.flat().filter(([, value]) => value !== ''));
}

/** Versions are small numbers, so that conditions meet now and then. */
const etags = ['"1"', '"2"', '"3"', 'W/"1"', '*'];

function credentials({ credentials: kinds }: Operation): fc.Arbitrary<Credential> {
  const other: Credential[] = ['weak', 'foreign', 'forged', 'none', 'repeated header'];
  return fc.oneof(
    { arbitrary: fc.constant<Credential>('good'), weight: 30 },
    {
      arbitrary: fc.constantFrom<Credential>(
        ...other,
        ...(kinds.length > 1 ? (['two different'] as const) : []),
      ),
      weight: 5,
    },
  );
}
