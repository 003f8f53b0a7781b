// Runs the main function of a script (`npm run load`, `soak`, `parity`, `bench`).

/**
 * If it fails, prints the reason in one line, and lets the process exit with 1 when its servers have stopped.
 */
export async function runMain(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
