// A file for a person's own tools: sourced in a shell, it points the AWS command line at the engines that run now.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from './lambda-environment.ts';
import { shellWord } from './shell-word.ts';

/** Returns what removes the file again: the ports in it hold for one start. */
export function writeAwsEnv(dataDir: string, environment: Environment): () => void {
  const file = join(dataDir, 'aws.env');
  const own = Object.entries(environment).filter(([name]) => /^AWS_(?!LAMBDA_)/.test(name));
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, own.map(([name, value]) => `export ${name}=${shellWord(value)}\n`).join(''));
  return () => rmSync(file, { force: true });
}
