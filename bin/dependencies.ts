// `npm run dependencies` checks that npm can verify every package of the lock file, and the licences of the
// deployed packages. `npm run sbom` also writes dist/sbom.json, the CycloneDX bill of materials of the
// deployed packages. Neither uses the network.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { billOfDeployed, billOfMaterials } from '#lib/infra/bill-of-materials.ts';
import { deployed, forbiddenLicences, lockFile, unverified } from '#lib/infra/lock-file.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const lock = lockFile.parse(JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8')));

const breaches = [...unverified(lock), ...forbiddenLicences(lock)];
for (const breach of breaches) console.error(breach);
if (breaches.length > 0) process.exitCode = 1;
else if (process.argv.includes('--sbom')) writeBill();
else
  console.log(
    `${Object.keys(lock.packages).length - 1} packages can be verified; ` +
      `the licences of the ${deployed(lock).length} deployed packages are allowed.`,
  );

function writeBill(): void {
  const printed = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  });
  const bill = billOfDeployed(billOfMaterials.parse(JSON.parse(printed)), lock);
  mkdirSync(`${root}/dist`, { recursive: true });
  writeFileSync(`${root}/dist/sbom.json`, `${JSON.stringify(bill, undefined, 2)}\n`);
  console.log(`dist/sbom.json lists ${bill.components.length} packages.`);
}
