// The name of an event for which runs wait, as requests have it.
import * as z from 'zod';
import { eventNameExpected, eventNamePattern } from '#lib/flow/format/event-name.ts';

/** The words of the flow format in those of the API. */
export const mustBe = (expected: string): string => expected.replace('expected', 'must be');

export const eventName = z.string().regex(eventNamePattern, mustBe(eventNameExpected));
