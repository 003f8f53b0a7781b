// A request that the flow declares and the model fills in: only `args` in its templates are the model's.
import { preparedRequest } from '../../nodes/http-request.ts';
import type { Surroundings } from '../../nodes/node-type.ts';
import type { ToolFields } from '../definition.ts';
import { closed } from '../parameters.ts';
import type { ToolSource } from '../tool.ts';

export function httpTool(
  fields: ToolFields,
  http: NonNullable<ToolFields['http']>,
  around: Surroundings,
): ToolSource {
  const request = preparedRequest(http, around);
  const { name = '', description = '', parameters = { type: 'object' } } = fields;
  const target = `${http.method ?? 'GET'} ${URL.parse(http.url)?.host ?? ''}`;
  return () => [
    {
      declaration: { name, description, parameters: closed(parameters) },
      target,
      needsApproval: fields.approval === 'always',
      isForeign: false,
      run: async ({ context, args, key }) => {
        const at = { ...context.at, scope: { ...context.at.scope, args } };
        const { status, body } = await context.http(await request(at, `${context.idempotencyKey}.${key}`));
        const isFine = status >= 200 && status < 300;
        return { status: isFine ? 'completed' : 'failed', content: { status, body } };
      },
    },
  ];
}
