// Drills of procedures that no alarm asks for: what goes wrong in them or before them, and the runbook as written.
import { changedAddress } from './change-address.ts';
import type { DrillHost } from './drill-host.ts';
import { interruptedImport } from './move-organisation.ts';
import { refusedExport } from './refused-export.ts';
import { deletedBuilds } from './restore-tenant.ts';
import type { Transcript } from './transcript.ts';

interface Procedure {
  /** Of `docs/`, with a section of the name of the procedure. */
  readonly page: string;
  readonly run: (drill: DrillHost) => Promise<Transcript>;
}

/** By the heading of the section. */
export const procedures: Readonly<Record<string, Procedure>> = {
  'Restore a tenant': { page: 'operations.md', run: deletedBuilds },
  'Move an organisation': { page: 'operations.md', run: interruptedImport },
  'Change the address': { page: 'operations.md', run: changedAddress },
  'Export runs': { page: 'telemetry.md', run: refusedExport },
};
