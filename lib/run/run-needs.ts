// The schema of what a run needs before it can begin, as callers read it.
import * as z from 'zod';
import { connectionDeclaration, connectionScope } from '#lib/flow/format/connection.ts';

export const runNeeds = /* @__PURE__ */ z.lazy(() =>
  z
    .strictObject({
      configuration_url: z.string().meta({
        description:
          'The page on which a person stores them. For the caller that started the run it carries a token that is good once, for 10 to 15 minutes; each response has one that is.',
      }),
      connections: z.array(
        connectionDeclaration().safeExtend({
          connection: z.string(),
          scope: connectionScope.meta({ description: 'Whose: of the workspace, or of the caller.' }),
        }),
      ),
    })
    .meta({ id: 'RunNeeds' }),
);
export type RunNeeds = z.infer<typeof runNeeds>;
