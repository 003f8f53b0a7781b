// The request of a tool: what an `http` node has, filled in by the model.
import * as z from 'zod';
import { lazy } from '#lib/lazy.ts';
import { ruled } from '../format/notes.ts';
import { requestFields, requestRules } from '../nodes/http-request.ts';

export const toolRequest = /* @__PURE__ */ lazy(() =>
  ruled(
    z.strictObject(requestFields()).meta({
      title: 'Request of a tool',
      description: 'A request as an `http` node has it; the model fills it in through `args`.',
    }),
    requestRules(),
    'tool_request',
  ),
);
