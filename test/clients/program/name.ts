// The names of clients, as `docs/connect.md` has them.
import packageJson from '../../../package.json' with { type: 'json' };

const versions = { ...packageJson.dependencies, ...packageJson.devDependencies };

/** A package, with its version. */
export const nameOf = (name: keyof typeof versions): string => `${name} ${versions[name]}`;
