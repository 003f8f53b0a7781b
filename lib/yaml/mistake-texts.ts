// What each error code of the YAML parser means. The messages of the package itself quote the text.
import type { ErrorCode } from 'yaml';

const texts: Readonly<Partial<Record<ErrorCode, string>>> = {
  ALIAS_PROPS: 'an alias has an anchor of its own',
  BAD_ALIAS: 'the name of an anchor or alias is not valid',
  BAD_COLLECTION_TYPE: 'a list or an object has a type of its own',
  BAD_DQ_ESCAPE: 'a text in double quotes has an escape that YAML does not know',
  BAD_INDENT: 'a line is not indented as those above it',
  BAD_PROP_ORDER: 'an anchor is not where YAML allows one',
  BAD_SCALAR_START: 'a text begins with a character that needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a value has another "name: value" in the same line: quote the text',
  BLOCK_IN_FLOW: 'a block is inside of [] or {}',
  KEY_OVER_1024_CHARS: 'a name has more than 1024 characters',
  MISSING_CHAR: 'a character is missing, such as a comma, a colon, a bracket or a quote',
  MULTILINE_IMPLICIT_KEY: 'a name has more than one line, or its colon is missing',
  MULTIPLE_ANCHORS: 'a value has two anchors',
  MULTIPLE_DOCS: 'it has more than one document',
  NON_STRING_KEY: 'it has a name that is not a text: write "{{ … }}" in quotes',
  RESOURCE_EXHAUSTION: 'it is nested too deep',
  TAB_AS_INDENT: 'a line is indented by a tab',
  UNEXPECTED_TOKEN: 'a character is not allowed here',
};

export const explainCode = (code: ErrorCode): string => texts[code] ?? 'it has a mistake';
