// Plain JavaScript on purpose: it must run on the old Node that it complains about.
// The `node` dev dependency puts Node 24 first on the PATH of npm scripts; if its install script was skipped, say so in one line.
const [major] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(
    `Agent Flow Service runs on Node 24, but npm found Node ${process.versions.node}. ` +
      'Run `npm ci` without --ignore-scripts (it installs Node 24 into node_modules), or put Node 24 on your PATH.',
  );
  process.exit(1);
}
