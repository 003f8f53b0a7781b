// The local host as a subject: it is asked for its CPU time, and for a caller with a key.
import { answer, cpuMicros } from './answering.ts';
import { newOwner } from './registry-caller.ts';

answer({ cpu: cpuMicros, owner: () => newOwner({ baseUrl: '' }, 'org_triggers') });

// It says that it is ready, with its addresses and environment.
await import('#test/support/host-process.ts');
