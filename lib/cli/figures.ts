// Counts and US dollars as people read them.

export const formatCount = (count: number): string => count.toLocaleString('en-US');

/** Such as `$1,234.50`. What is too little for the decimals is not shown as nothing. */
export function formatDollars(amount: number, decimals = 2): string {
  const least = 10 ** -decimals;
  if (amount > 0 && amount < least) return `<$${least.toFixed(decimals)}`;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return `$${amount.toLocaleString('en-US', digits)}`;
}
