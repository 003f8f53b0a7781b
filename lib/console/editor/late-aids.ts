// Loads what helps in the text of a flow when somebody comes to it, or asks for it by its keys.
import { Compartment, type Extension } from '@codemirror/state';
import { type Command, EditorView, keymap } from '@codemirror/view';
import type { Schema } from './schema-keys.ts';

type Aids = typeof import('./text-aids.ts').commands;

/** Once they are there, their own keys come first. */
export function lateAids(getSchema: () => Promise<Schema>): Extension {
  const place = new Compartment();
  let loading: Promise<Aids> | undefined;
  const load = async (view: EditorView): Promise<Aids> => {
    const { commands, textAids } = await import('./text-aids.ts');
    view.dispatch({ effects: place.reconfigure(textAids(getSchema)) });
    return commands;
  };
  const withAids = (view: EditorView, use: (aids: Aids) => void = () => {}): void => {
    loading ??= load(view);
    // The text can be changed without them, and the next occasion tries again.
    loading.then(use, () => {
      loading = undefined;
    });
  };
  const late =
    (choose: (aids: Aids) => Command): Command =>
    (view) => {
      withAids(view, (aids) => choose(aids)(view));
      return true;
    };
  const come = (_event: Event, view: EditorView): void => withAids(view);
  return [
    place.of([]),
    EditorView.domEventHandlers({ focusin: come, pointerover: come }),
    keymap.of([
      { key: 'Mod-f', run: late(({ openSearchPanel }) => openSearchPanel) },
      { key: 'Ctrl-Space', run: late(({ startCompletion }) => startCompletion) },
    ]),
  ];
}
