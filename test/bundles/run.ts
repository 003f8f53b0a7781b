// `npm run test:bundles -- [part of a file's name ...]`: runs the tests of the API with the functions as they are deployed,
// that is, with the bundles of `npm run build`: a package that works from its sources may need what a bundle leaves out.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { giveUp } from '#lib/cli/give-up.ts';
import { ensureBuilt } from '#lib/infra/build-process.ts';
import { apiTests } from '#test/support/local-only.ts';

/**
 * From their sources, the functions of one process share what they remember. From their bundles each remembers for itself,
 * as on AWS, so that these tests, which expect a change at once, do not see it before a minute has passed.
 */
const remembers: readonly string[] = [
  'api-key/revoke',
  'budget/set',
  'budget/starts',
  'member/remove',
  'session/callback',
  'session/end',
  'session/logout',
  'webhook-secret/of-trigger',
];

await ensureBuilt();
const wanted = process.argv.slice(2);
const files = globSync(apiTests).filter(
  (file) =>
    !remembers.some((name) => file.endsWith(`/${name}.test.ts`)) &&
    (wanted.length === 0 || wanted.some((part) => file.includes(part))),
);
if (files.length === 0)
  giveUp(new Error(`No test that can be run with the bundles has ${wanted.join(' or ')} in its path.`));
const vitest = spawn('vitest', ['run', '--project', 'api', ...files], {
  env: { ...process.env, AGENT_FLOW_FUNCTIONS: 'bundles' },
  stdio: 'inherit',
});
const [code] = await once(vitest, 'exit');
process.exitCode = typeof code === 'number' ? code : 1;
