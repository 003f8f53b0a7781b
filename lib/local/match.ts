// Finds the resource and the method for a request, with the precedence of API Gateway.
import type { Method } from './api.ts';

export type Match = {
  readonly method: Method;
  readonly pathParameters: Readonly<Record<string, string>> | null;
};
export type FindMethod = (httpMethod: string, path: string) => Match | undefined;

type Route = { readonly segments: readonly string[]; readonly methods: ReadonlyMap<string, Method> };

/** Only the path selects the resource: if it lacks the method, less specific paths are not tried. */
export function matcher(methods: readonly Method[], paths: readonly string[] = []): FindMethod {
  const byPath = Map.groupBy(methods, ({ path }) => path);
  // Includes resources that have children but no methods.
  const routes = [...new Set([...byPath.keys(), ...paths])].map(
    (path): Route => ({
      segments: splitPath(path),
      methods: new Map(byPath.get(path)?.map((method) => [method.httpMethod, method])),
    }),
  );
  routes.sort((left, right) => compare(left.segments, right.segments));
  return (httpMethod, path) => {
    const given = splitPath(path);
    const route = routes.find(({ segments }) => matches(segments, given));
    const method = route?.methods.get(httpMethod) ?? route?.methods.get('ANY');
    return route && method && { method, pathParameters: readParameters(route.segments, given) };
  };
}

/** REST APIs ignore a slash at the end. */
const splitPath = (path: string) => path.replace(/\/$/, '').split('/').slice(1);

/** From the left: a literal, then `{parameter}`, then `{greedy+}`. */
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

function matches(segments: readonly string[], given: readonly string[]): boolean {
  const last = segments.at(-1);
  if (last && isGreedy(last) ? given.length < segments.length : given.length !== segments.length)
    return false;
  return segments.every((segment, index) =>
    isParameter(segment) ? given[index] !== '' : segment === given[index],
  );
}

function readParameters(
  segments: readonly string[],
  given: readonly string[],
): Record<string, string> | null {
  const found = segments.flatMap((segment, index) => {
    if (!isParameter(segment)) return [];
    const name = segment.replace(/^\{|\+?\}$/g, '');
    const value = isGreedy(segment) ? given.slice(index).join('/') : (given[index] ?? '');
    return [[name, decode(value)] as const];
  });
  return found.length === 0 ? null : Object.fromEntries(found);
}

/** Invalid percent encoding is left as it is. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
