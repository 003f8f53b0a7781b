// Loaded before every test file. Files share their process (vitest.config.ts); what one changes in the
// environment ends with it, and where a service was started for them, each begins with what its functions
// see, so that its rules and its key signer work there too.
import { afterAll } from 'vitest';
import { findTestedService } from './tested-service.ts';

const before = { ...process.env };
Object.assign(process.env, findTestedService()?.environment);

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
