// The response of creating and updating a row: the row, and the warnings of the check of its flow.
import * as z from 'zod';
import { type FlowWarning, flowWarning } from '#lib/flow/check/warning.ts';
import { built } from '#lib/json/built-schema.ts';
import { type RegistryRow, registryRow } from '#lib/registry/row/row.ts';

export const checkedRow = /* @__PURE__ */ z.lazy(() =>
  built(registryRow)
    .extend({
      warnings: z.array(flowWarning).optional().meta({
        description:
          'About the flow of this request, which is accepted all the same; left out when there are none.',
      }),
    })
    .meta({ id: 'CheckedRegistryRow' }),
);

export const withWarnings = (
  row: RegistryRow,
  warnings: readonly FlowWarning[] = [],
): z.infer<typeof checkedRow> => ({ ...row, ...(warnings.length > 0 && { warnings: [...warnings] }) });
