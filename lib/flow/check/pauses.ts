// Where a run may stop for an answer or a time. Which trigger will start it the flow does not say, so its author is told in any case.
import { pointerTo } from '#lib/json/pointer.ts';
import { mayPause } from '../definition/may-pause.ts';
import type { Warning } from './mistake.ts';
import type { ReadNode } from './read-nodes.ts';

const detail =
  'a run may stop here for an answer or a time: the synchronous trigger then answers `input_required` or `pending`, and the result comes later. Start it in the background or over A2A to follow it';

export const pauseWarnings = (nodes: ReadonlyMap<string, ReadNode>): readonly Warning[] =>
  [...nodes.values()].flatMap(({ node, path }) =>
    node && mayPause(node) ? [{ pointer: pointerTo(path), code: 'may_pause', detail }] : [],
  );
