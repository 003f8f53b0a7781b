// The garbage collector of esbuild, a program in Go, would run whenever its heap has doubled, and take a quarter of its
// time. Here it runs often only as the heap comes near to the limit, which leaves 300 MB of a gigabyte to this process:
// `npm run build` limits its heap, whose garbage would take more than that.
// docs/decisions/0091-faster-build.md has the measurements.

const settings = { GOGC: '400', GOMEMLIMIT: '700MiB' };

/**
 * Runs `work`, during which an esbuild that starts takes these settings. Values from outside are kept. Afterwards the
 * environment is as before, since other programs in Go that this process starts have other heaps.
 */
export async function withLazyCollector<Result>(work: () => Promise<Result>): Promise<Result> {
  const added = Object.entries(settings).filter(([name]) => process.env[name] === undefined);
  for (const [name, value] of added) process.env[name] = value;
  try {
    return await work();
  } finally {
    for (const [name] of added) delete process.env[name];
  }
}
