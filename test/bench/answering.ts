// The subject's side of `subject.ts`: says that it is ready, answers questions, and ends when nobody asks any more.
type Answers = Readonly<Record<string, () => unknown>>;

export function answer(answers: Answers): void {
  process.on('message', async (question) => {
    const give = answers[String(question)];
    if (!give) throw new Error(`Nobody answers "${question}" here.`);
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

/** Of the whole process, in µs since its start: garbage collection and compilation on other threads count. */
export function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
