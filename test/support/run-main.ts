// What the scripts that measure and compare (`npm run load`, `soak`, `parity`, `bench`) are run with.

/** Prints why the script failed, in one line and without a stack, and lets the process exit with 1 once its servers are stopped. */
export async function runMain(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
