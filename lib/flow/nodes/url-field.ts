// URLs in a flow, by what may stand in them. `egress.ts` checks them, with the rest of the flow; `published/notes.ts` says for editors what shows without.
import * as z from 'zod';
import { madeOnce } from '#lib/made-once.ts';

const text = () => z.string().min(1).max(4096);

/** With expressions in its path and its query. */
export const requestUrl = madeOnce(text);

export const fixedUrl = madeOnce(text);

/** A registry id, or the URL of an agent or of its card. */
export const agentPlace = madeOnce(text);
