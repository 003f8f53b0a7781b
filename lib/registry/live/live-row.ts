// What promotion and rollback answer: the row that is live now, and which one is not any more.
import { registryId } from '#lib/ids.ts';
import { registryRow } from '../row.ts';

export const liveRegistryRow = registryRow
  .extend({
    demoted: registryId
      .optional()
      .meta({ description: 'The build that this change returned to test; left out when there was none.' }),
  })
  .meta({ id: 'LiveRegistryRow' });
