// The field for the text of a flow: CodeMirror, in a shadow tree, since there its styles are adopted style sheets,
// which the policy of the console allows. It is a chunk of its own.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension, type Text } from '@codemirror/state';
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import type { Position } from '#lib/json/position.ts';
import { isJsonText, type Problem } from './flow-text.ts';
import { lateAids } from './late-aids.ts';
import type { Schema } from './schema-keys.ts';
import type { TextEdit } from './text-format.ts';
import { colours, theme } from './text-theme.ts';

interface TextViewOptions {
  readonly host: HTMLElement;
  readonly label: string;
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly getSchema: () => Promise<Schema>;
  readonly onChange: (text: string) => void;
}

export interface TextView {
  readonly change: (edit: TextEdit) => void;
  readonly showProblems: (problems: readonly Problem[]) => void;
  readonly goTo: (position: Position) => void;
  readonly destroy: () => void;
}

export function createTextView({ host, text, onChange, ...options }: TextViewOptions): TextView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const language = new Compartment();
  let isJson = isJsonText(text);
  const onUpdate = EditorView.updateListener.of(({ docChanged, state, view }) => {
    if (!docChanged) return;
    const changed = state.doc.toString();
    onChange(changed);
    if (isJsonText(changed) === isJson) return;
    isJson = !isJson;
    view.dispatch({ effects: language.reconfigure(languageOf(isJson)) });
  });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lateAids(options.getSchema),
        ...shared,
        language.of(languageOf(isJson)),
        EditorState.readOnly.of(options.isReadOnly),
        EditorView.contentAttributes.of({ 'aria-label': options.label, tabindex: '0' }),
        onUpdate,
      ],
    }),
  });
  return {
    change: (changes) => view.dispatch({ changes, userEvent: 'input.form' }),
    showProblems: (problems) =>
      view.dispatch(
        setDiagnostics(
          view.state,
          problems.map((each) => toDiagnostic(view.state.doc, each)),
        ),
      ),
    goTo: (position) => {
      const [from, to] = findRange(view.state.doc, position);
      const effects = EditorView.scrollIntoView(from, { y: 'center' });
      view.dispatch({ selection: { anchor: from, head: to }, effects });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

/**
 * Chromium keeps the style of selected text that is typed over in a `style` attribute, which the policy of the console
 * reports. So the editor replaces the text itself, as it does where it deletes or pastes.
 */
const replaceSelection = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data }, view) => {
    const { from, to } = view.state.selection.main;
    if (inputType !== 'insertText' || data === null || from === to || view.composing) return false;
    const typed = { userEvent: 'input.type', scrollIntoView: true };
    const insert = () => view.state.update(view.state.replaceSelection(data), typed);
    const handlers = view.state.facet(EditorView.inputHandler);
    if (view.state.readOnly || handlers.some((handle) => handle(view, from, to, data, insert))) return true;
    view.dispatch(insert());
    return true;
  },
});

/** Tab is not among the keys: it leaves the field, as everywhere on the page. */
const shared: readonly Extension[] = [
  lineNumbers(),
  foldGutter(),
  lintGutter(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  EditorView.lineWrapping,
  syntaxHighlighting(colours),
  theme,
  replaceSelection,
  keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap]),
];

/** YAML is text without colours and completions: its check and its pictures are the same. */
const languageOf = (isJson: boolean): Extension => (isJson ? json() : []);

function toDiagnostic(doc: Text, { detail, severity, ...position }: Problem): Diagnostic {
  const [from, to] = findRange(doc, position);
  return { from, to, severity, message: detail };
}

/** From the position to the end of the name or value there. The text may have changed since. */
function findRange(doc: Text, { line, column }: Position): readonly [from: number, to: number] {
  const found = doc.line(Math.min(line, doc.lines));
  const from = Math.min(found.from + column - 1, found.to);
  const rest = doc.sliceString(from, found.to);
  const [token = ''] = /^"(?:[^"\\]|\\.)*"?|^[^\s,:{}[\]]+|^./.exec(rest) ?? [];
  return [from, from + token.length];
}
