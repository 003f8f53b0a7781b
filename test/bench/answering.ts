// The child's side of `subject.ts`: reports that it is ready, answers questions, and ends when its parent
// disconnects.
type Answers = Readonly<Record<string, () => unknown>>;

export function answer(answers: Answers): void {
  process.on('message', async (question) => {
    const give = answers[String(question)];
    if (!give) throw new Error(`There is no answer to "${question}".`);
    process.send?.(await give());
  });
}

export function sayReady(message: object, close = async () => {}): void {
  process.once('disconnect', async () => {
    await close();
    process.exit();
  });
  process.send?.(message);
}

/** CPU time of the whole process since its start in µs, including garbage collection and compilation. */
export function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
