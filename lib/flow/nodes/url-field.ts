// Fields that hold URLs, by the expressions they allow. `egress.ts` checks them with the rest of the flow;
// `published/notes.ts` has their patterns for editors.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';

const text = () => z.string().min(1).max(4096);

/** Expressions are allowed in its path and its query. */
export const requestUrl = /* @__PURE__ */ lazy(text);

export const fixedUrl = /* @__PURE__ */ lazy(text);

/** A registry id, or the URL of an agent or of its card. */
export const agentAddress = /* @__PURE__ */ lazy(text);
