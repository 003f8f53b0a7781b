// Why a text is not accepted as YAML.

/** The message completes "The text cannot be read as YAML: …". */
export class YamlMistake extends Error {
  override readonly name = 'YamlMistake';
  /** Where in the text, in UTF-16 code units. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}
