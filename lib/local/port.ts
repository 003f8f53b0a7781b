// The port that PORT asks for. Digits only: `Number` would take `0x10`, `1e3`, a space and, as 0, nothing at all.
const portMax = 65_535;

/** 0 means any free port; unset or empty is 3000. */
export function portOf(given: string | undefined): number {
  const text = given || '3000';
  if (/^\d{1,5}$/.test(text) && Number(text) <= portMax) return Number(text);
  throw new Error(`PORT must be a number from 0 (any free port) to ${portMax}, not "${text}".`);
}
