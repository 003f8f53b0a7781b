// The seed of tests that make up what they try: `SEED=…` repeats a run. Where `CI` is set it is always the
// same one, so that a change is never refused by chance; elsewhere each run tries something else, and says
// with which seed.
const seedInCi = 20_260_701;

export const seed = Number(process.env.SEED ?? (process.env.CI ? seedInCi : Date.now() % 1_000_000_000));
