// Reduces the bill of materials (CycloneDX) that npm writes to the deployed packages. `npm sbom --omit dev`
// would also omit packages that development packages need too, such as zod.
import * as z from 'zod';
import { deployed, type LockFile } from './lock-file.ts';

const reference = z.looseObject({ 'bom-ref': z.string() });
export const billOfMaterials = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component: reference }),
  components: z.array(reference),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
});
export type BillOfMaterials = z.infer<typeof billOfMaterials>;

export function billOfDeployed(all: BillOfMaterials, lock: LockFile): BillOfMaterials {
  const refs = new Set(deployed(lock));
  const own = all.metadata.component['bom-ref'];
  const components = all.components.filter((component) => refs.has(component['bom-ref']));
  if (components.length < refs.size) {
    const missing = [...refs].filter((ref) => !components.some((component) => component['bom-ref'] === ref));
    throw new Error(`npm sbom does not name ${missing.join(', ')}.`);
  }
  return {
    ...all,
    // npm names it after the folder.
    metadata: { ...all.metadata, component: { ...all.metadata.component, name: lock.name } },
    components,
    dependencies: all.dependencies
      .filter(({ ref }) => ref === own || refs.has(ref))
      .map((each) => ({ ...each, dependsOn: each.dependsOn.filter((ref) => refs.has(ref)) })),
  };
}
