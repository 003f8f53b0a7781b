// Fields that hold URLs, by the expressions they allow, and their mistakes. `egress.ts` checks hosts;
// `published/notes.ts` has their patterns for editors.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';
import { egressProblem } from '../format/egress.ts';
import { parseSegments } from '../format/template-segments.ts';
import { isOneExpression } from './expression-field.ts';

const text = () => z.string().min(1).max(4096);

/** Expressions are allowed in its path and its query. */
export const requestUrl = /* @__PURE__ */ lazy(text);

export const fixedUrl = /* @__PURE__ */ lazy(text);

/** A registry id, or the URL of an agent or of its card. */
export const agentAddress = /* @__PURE__ */ lazy(text);

/** Whether the whole URL is data. */
export const isUrlFromData = (url: string): boolean => isOneExpression(url);

/** Describes the mistake in the URL of a request whose host may be data; undefined if there is none. */
export function requestUrlProblem(url: string, egress: readonly string[]): string | undefined {
  if (!isUrlFromData(url)) return egressProblem(url, egress);
  if (egress.length > 0) return undefined;
  return 'expected the hosts that the URL may have in `egress`: it is checked when the request is sent';
}

/** Describes the mistake in the literal parts of a path. */
export function pathProblem(path: string): string | undefined {
  try {
    const literal = parseSegments(path).map((part) => ('text' in part ? part.text : ''));
    if (!/[?#\\\s\p{Cc}]/u.test(literal.join(''))) return undefined;
  } catch {
    // The check of expressions reports it.
    return undefined;
  }
  return 'expected a path without "?", "#", "\\" and white space: parameters belong in `query`';
}
