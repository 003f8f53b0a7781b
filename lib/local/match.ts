// Finds the resource and the method of the API for a request path, by the precedence of API Gateway.
import type { Method } from './api.ts';

export type Match = {
  readonly method: Method;
  readonly pathParameters: Readonly<Record<string, string>> | null;
};
export type FindMethod = (httpMethod: string, path: string) => Match | undefined;

type Route = { readonly segments: readonly string[]; readonly methods: ReadonlyMap<string, Method> };

/** The path decides first and the HTTP method second: a route with the wrong method is not looked for elsewhere. */
export function matcher(methods: readonly Method[], paths: readonly string[] = []): FindMethod {
  const byPath = Map.groupBy(methods, ({ path }) => path);
  // A path that only leads to others is found too, and has no method.
  const routes = [...new Set([...byPath.keys(), ...paths])].map(
    (path): Route => ({
      segments: segmentsOf(path),
      methods: new Map(byPath.get(path)?.map((method) => [method.httpMethod, method])),
    }),
  );
  routes.sort((left, right) => compare(left.segments, right.segments));
  return (httpMethod, path) => {
    const given = segmentsOf(path);
    const route = routes.find(({ segments }) => fits(segments, given));
    const method = route?.methods.get(httpMethod) ?? route?.methods.get('ANY');
    return route && method && { method, pathParameters: parametersOf(route.segments, given) };
  };
}

/** A slash at the end makes no difference to a REST API. */
const segmentsOf = (path: string) => path.replace(/\/$/, '').split('/').slice(1);

/** Literal before `{parameter}` before `{greedy+}`, from the left. */
function compare(left: readonly string[], right: readonly string[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = rank(left[index]) - rank(right[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function rank(segment: string | undefined): number {
  if (segment === undefined) return 0;
  if (!isParameter(segment)) return 1;
  return isGreedy(segment) ? 3 : 2;
}

const isParameter = (segment: string) => segment.startsWith('{');
const isGreedy = (segment: string) => segment.endsWith('+}');

function fits(segments: readonly string[], given: readonly string[]): boolean {
  const last = segments.at(-1);
  if (last && isGreedy(last) ? given.length < segments.length : given.length !== segments.length)
    return false;
  return segments.every((segment, index) =>
    isParameter(segment) ? given[index] !== '' : segment === given[index],
  );
}

function parametersOf(segments: readonly string[], given: readonly string[]): Record<string, string> | null {
  const found = segments.flatMap((segment, index) => {
    if (!isParameter(segment)) return [];
    const name = segment.replace(/^\{|\+?\}$/g, '');
    const value = isGreedy(segment) ? given.slice(index).join('/') : (given[index] ?? '');
    return [[name, decode(value)] as const];
  });
  return found.length === 0 ? null : Object.fromEntries(found);
}

/** A percent sign that starts no valid sequence stays as it came. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
