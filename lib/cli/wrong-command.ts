// A command line that cannot be meant: nothing was read or run.

export class WrongCommand extends Error {
  override readonly name = 'WrongCommand';
}
