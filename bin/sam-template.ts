// `npm run sam:template` writes cdk.out/sam.template.json for `sam local` (docs/sam.md), bound to the local host if one is running.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { root } from '#lib/infra/bundle-folder.ts';
import { flatTemplate } from '#lib/infra/flat-template.ts';
import { samTemplate } from '#lib/infra/sam-template.ts';
import { homeOf } from '#lib/local/home.ts';

const { values } = parseArgs({
  options: {
    tenant: { type: 'string', default: 'demo' },
    host: { type: 'string', default: 'host.docker.internal' },
  },
});
const synthesized = join(root, 'cdk.out');
const target = join(synthesized, 'sam.template.json');
const deployed = flatTemplate(synthesized, `AgentFlow-${values.tenant}.template.json`);
const running = homeOf().environment;

const sam = samTemplate(deployed, {
  architecture: process.arch === 'arm64' ? 'arm64' : 'x86_64',
  environment: localEnvironment(),
  host: values.host,
});
writeFileSync(target, `${JSON.stringify(sam, undefined, 2)}\n`);
console.log(`Wrote ${target}. See docs/sam.md for what to do with it.`);

function localEnvironment(): Readonly<Record<string, string>> {
  if (existsSync(running)) return z.record(z.string(), z.string()).parse(readJson(running));
  console.log(`No local host is running (${running}): functions will find no tables, queues or keys.`);
  return {};
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
