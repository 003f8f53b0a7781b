// Plain JavaScript, because it must run on old versions of Node. The dev dependency `node` puts Node 24 first
// on the PATH of npm scripts, unless its install script was skipped.
const [major] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(
    `Agent Flow Service runs on Node 24, but npm found Node ${process.versions.node}. ` +
      'Run `npm ci` without --ignore-scripts (it installs Node 24 into node_modules), or put Node 24 on your PATH.',
  );
  process.exit(1);
}
