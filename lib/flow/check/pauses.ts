// Warns about nodes at which a run may pause. The flow does not say which trigger starts it, so the warning is given in
// any case.
import { pointerTo } from '#lib/json/pointer.ts';
import { mayPause } from '../definition/may-pause.ts';
import type { Warning } from './mistake.ts';
import type { ReadNode } from './read-nodes.ts';

const detail =
  'a run may pause here for an answer or until a time: the synchronous trigger then responds with `input_required` or `pending`, and the result comes later. Start it in the background or over A2A to follow it';

export const findPauseWarnings = (nodes: ReadonlyMap<string, ReadNode>): readonly Warning[] =>
  [...nodes.values()].flatMap(({ node, path }) =>
    node && mayPause(node) ? [{ pointer: pointerTo(path), code: 'may_pause', detail }] : [],
  );
