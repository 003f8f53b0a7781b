// The texts of the forms of nodes.
import { formatCount } from '../parts/format.ts';

export const nodeWords = {
  title: 'Node',
  lead: 'Choose a node here or in the picture. What the form changes is changed in the text, and nothing else there.',
  node: 'Node to edit',
  none: 'No node',
  nodeOfType: (id: string, type: string, depth: number) => `${'› '.repeat(depth)}${id} (${type})`,
  loading: 'Loading the form',
  unreadable: 'The text cannot be read at the moment. The form follows as soon as it can.',
  noNodes: 'The flow has no nodes yet.',
  show: 'Show in text',
  fields: (id: string) => `Fields of ${id}`,
  more: (count: number) => `${formatCount(count)} more fields`,
  required: 'required',
  byDefault: (value: string) => `Default: ${value}`,
  notSet: 'Not set',
  kindOf: (name: string) => `How ${name} is written`,
  asText: 'Text',
  inside: 'Nodes inside are chosen in the list above.',
  refused: 'The form cannot change this place, as an alias of YAML repeats it: change the text.',
  notReadable: (format: string) => `This is not valid ${format}.`,
  add: 'Add node',
  addTitle: 'Add a node',
  addText: 'It gets the fields that its type requires, empty. The list of problems names what they need.',
  id: 'Id',
  idHint: 'Lower-case letters, digits and “_”; unique in the flow.',
  idInvalid: 'Begin with a lower-case letter, and use lower-case letters, digits and “_”.',
  idTaken: 'There is a node with this id.',
  type: 'Type',
  after: (id: string) => `Continue with it after ${id}`,
  cancel: 'Not now',
  remove: 'Delete node',
  removeTitle: (id: string) => `Delete ${id}?`,
  removeText: (references: readonly string[]) =>
    references.length === 0
      ? 'Nothing refers to it.'
      : `These places refer to it, and stay as they are: ${list(references)}. The list of problems has what is wrong then.`,
} as const;

const shown = 12;
const list = (places: readonly string[]): string =>
  places.length > shown
    ? `${places.slice(0, shown).join(', ')} and ${formatCount(places.length - shown)} more`
    : places.join(', ');
