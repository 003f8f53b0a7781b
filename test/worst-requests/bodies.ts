// The worst bodies that a limit in bytes allows, whatever the route: each is costly to read, to check or to
// refuse.
import * as z from 'zod';
import type { Route } from '#lib/http/route.ts';

export interface Shape {
  /** What makes it costly, in a few words. */
  readonly kind: string;
  readonly text: string;
}

/** Repeats a text as often as it fits, with its number in it so that names differ. */
function filled(bytes: number, piece: (n: number) => string): string {
  const pieces: string[] = [];
  for (let n = 0, length = 0; ; n += 1) {
    const next = piece(n);
    length += next.length + 1;
    if (length > bytes) return pieces.join(',');
    pieces.push(next);
  }
}

const chain = `${'['.repeat(95)}${']'.repeat(95)}`;

/** `bytes` of which some are left for what stands around. */
export function anyBodies(bytes: number): Shape[] {
  const room = bytes - 100;
  const half = Math.floor(room / 2);
  return [
    { kind: 'unknown members', text: `{${filled(room, (n) => `"${n.toString(36)}":1`)}}` },
    { kind: 'one unknown name', text: `{"${'x'.repeat(room)}":1}` },
    { kind: 'nesting up to the limit', text: `{"a":[${filled(room, () => chain)}]}` },
    { kind: 'nesting beyond the limit', text: `${'['.repeat(half)}${']'.repeat(half)}` },
    { kind: 'repeated names', text: `{${filled(room, () => '"a":1')}}` },
    { kind: 'numbers', text: `{"a":[${filled(room, () => '1e-9')}]}` },
    { kind: 'no JSON at its end', text: `{"a":[${filled(room, () => '{}')}` },
    { kind: 'lone surrogates', text: `{"a":[${filled(room, () => '"\\ud800"')}]}` },
  ];
}

/** What is wrong with one member costs as much as what is wrong with another. */
const membersMax = 3;

/** Some members of the body filled with as much of what is wrong as there is room for. */
export function memberBodies(route: Route, bytes: number): Shape[] {
  const { body } = route;
  const names = listNames(body).slice(0, membersMax);
  const room = bytes - 200;
  return names.flatMap((name) => [
    { kind: `a list of mistakes in ${name}`, text: `{"${name}":[${filled(room, () => '{}')}]}` },
    {
      kind: `an object of mistakes in ${name}`,
      text: `{"${name}":{${filled(room, (n) => `"${n.toString(36)} ":[]`)}}}`,
    },
    { kind: `a long text in ${name}`, text: `{"${name}":"${'\\u0001'.repeat(Math.floor(room / 6))}"}` },
  ]);
}

function listNames(schema: z.ZodType | undefined): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodUnion)
    return [
      ...new Set(schema.options.flatMap((each) => listNames(each instanceof z.ZodType ? each : undefined))),
    ];
  return [];
}
