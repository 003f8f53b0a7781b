// Warns about patterns of `catch` and `retry` that no error matches: errors that end the run, codes that do not exist,
// and what an entry before takes.
import { pointerTo } from '#lib/json/pointer.ts';
import type { FlowNode } from '../definition/node-types.ts';
import { errorFamilies, isKnownPattern, widerPatterns } from '../format/error-codes.ts';
import { endsRun } from '../format/node-error.ts';
import type { Path, Warning } from './mistake.ts';
import type { ReadNode } from './read-nodes.ts';

export const findPatternWarnings = (nodes: ReadonlyMap<string, ReadNode>): readonly Warning[] =>
  [...nodes.values()].flatMap(({ node, path }) =>
    node ? [...findRetryWarnings(node, path), ...findCatchWarnings(node, path)] : [],
  );

function findRetryWarnings(node: FlowNode, path: Path): Warning[] {
  const { on = [] } = ('retry' in node && node.retry) || {};
  return on.flatMap((pattern, index) =>
    toWarnings(explainNoMatch(pattern, node), [...path, 'retry', 'on', index]),
  );
}

function findCatchWarnings(node: FlowNode, path: Path): Warning[] {
  const before = new Set<string>();
  return (('catch' in node && node.catch) || []).flatMap(({ on }, index) => {
    const warnings = on.flatMap((pattern, position) =>
      toWarnings(explainNoMatch(pattern, node) ?? explainTaken(pattern, before), [
        ...path,
        'catch',
        index,
        'on',
        position,
      ]),
    );
    for (const pattern of on) before.add(pattern);
    return warnings;
  });
}

const toWarnings = (detail: string | undefined, path: Path): Warning[] =>
  detail === undefined ? [] : [{ pointer: pointerTo(path), code: 'error_never_met', detail }];

function explainNoMatch(pattern: string, node: FlowNode): string | undefined {
  if (endsRun(pattern)) return `"${pattern}" ends the run: no node can retry or continue after it`;
  if (isKnownPattern(pattern, hasAccept(node))) return explainAccepted(pattern, node);
  if (Object.hasOwn(errorFamilies, pattern))
    return `no error has the code "${pattern}": expected "${pattern}.*" for all of that family`;
  return `no error has the code "${pattern}": expected one of the codes in the documentation, such as "http.429", "http.5xx" or "timeout"`;
}

/** A container has the error of a node inside it. */
const hasAccept = (node: FlowNode) =>
  node.type === 'http' ? node.accept !== undefined : ['flow', 'map', 'parallel'].includes(node.type);

/** A status, or a class of them, that `accept` lists is no error. */
function explainAccepted(pattern: string, node: FlowNode): string | undefined {
  const [, status] = /^http\.(\d(?:\d\d|xx))$/.exec(pattern) ?? [];
  if (status === undefined || node.type !== 'http') return undefined;
  const accepted = node.accept?.find((one) => String(one) === status || one === `${status[0]}xx`);
  return accepted === undefined ? undefined : `\`accept\` has ${accepted}, so this status is no error`;
}

function explainTaken(pattern: string, before: ReadonlySet<string>): string | undefined {
  const taker = widerPatterns(pattern).find((wider) => before.has(wider));
  return taker && `an entry before this one takes "${taker}": expected the narrower entry first`;
}
