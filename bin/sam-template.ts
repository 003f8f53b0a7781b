// `npm run sam:template` writes cdk.out/sam.template.json for `sam local` (docs/sam.md). Its functions use
// the local engines if `npm start` is running.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { giveUp } from '#lib/cli/give-up.ts';
import { root } from '#lib/infra/bundle-folder.ts';
import { flatTenantTemplate } from '#lib/infra/flat-template.ts';
import { leaveOutIgnored } from '#lib/infra/sam-ignored.ts';
import { samTemplate } from '#lib/infra/sam-template.ts';
import { tenantStackName } from '#lib/infra/stack-names.ts';
import { resolveHome } from '#lib/local/home.ts';

const { values } = parseArgs({
  options: {
    tenant: { type: 'string', default: 'demo' },
    host: { type: 'string', default: 'host.docker.internal' },
  },
});
const synthesized = join(root, 'cdk.out');
const target = join(synthesized, 'sam.template.json');
const outer = `${tenantStackName(values.tenant)}.template.json`;
if (!existsSync(join(synthesized, outer))) giveUp(`There is no tenants/${values.tenant}.json.`);
const deployed = flatTenantTemplate(synthesized, values.tenant);
const running = resolveHome().environment;

const { template, ignored } = leaveOutIgnored(
  samTemplate(deployed, {
    architecture: process.arch === 'arm64' ? 'arm64' : 'x86_64',
    environment: localEnvironment(),
    host: values.host,
  }),
);
writeFileSync(target, `${JSON.stringify(template, undefined, 2)}\n`);
const types = [...ignored].sort().map(([type, count]) => `${count} ${type}`);
console.log(`Left out what SAM does not run: ${types.join(', ')}.`);
console.log(`Wrote ${target}. docs/sam.md describes how to use it.`);

function localEnvironment(): Readonly<Record<string, string>> {
  if (existsSync(running)) return z.record(z.string(), z.string()).parse(readJson(running));
  console.log(`${running} does not exist: run \`npm start\`, or functions find no tables, queues or keys.`);
  return {};
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
