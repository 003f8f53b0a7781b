// Asks a person yes or no. Where nobody can answer, the answer is no.

export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const { confirm: ask } = await import('@clack/prompts');
  return (await ask({ message: question, initialValue: false, output: process.stderr })) === true;
}
