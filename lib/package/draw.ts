// Draws flows for callers of the package. Apart from the engine, because only this needs the package `elkjs`.
import { draw } from '#lib/drawing/draw.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import type { LogEntry } from '#lib/flow/ports/log-entry.ts';

/** Draws a checked flow as SVG. With the log of a run, the path of that run is marked. */
export const drawFlow = (flow: Flow, log?: readonly LogEntry[]): Promise<string> => draw(flow, log);
