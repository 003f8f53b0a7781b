// The range of time that a timeline shows, with a button for each step: the same steps have keys.
import type { KeyboardEvent } from 'react';
import { formatDuration } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import bars from '../parts/tool-bar.module.css';
import { words as zoomWords } from '../picture/words.ts';
import styles from './range-bar.module.css';
import type { RangeStep, TimeRange } from './time-range.ts';
import { words } from './words.ts';

interface RangeBarProps {
  readonly range: TimeRange | undefined;
  readonly ms: number;
  readonly isUseless: (step: RangeStep) => boolean;
  readonly onStep: (step: RangeStep) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

const tools = [
  ['earlier', <Icon key="earlier" name="earlier" size={16} />, words.earlier, 'Shift+←', 'Shift+ArrowLeft'],
  ['later', <Icon key="later" name="later" size={16} />, words.later, 'Shift+→', 'Shift+ArrowRight'],
  ['out', '−', zoomWords.zoomOut, '−', '-'],
  ['in', '+', zoomWords.zoomIn, '+', 'Plus'],
  ['whole', zoomWords.fit, words.fitRange, '0', '0'],
] as const;

export const RangeBar = ({ range, ms, isUseless, onStep, onKeyDown }: RangeBarProps) => (
  <div className={bars.bar}>
    <p className={styles.range}>
      <span role="status">
        {range ? words.range(formatDuration(range.from), formatDuration(range.to)) : words.wholeRun}
      </span>
      <span className={styles.soft}>{range ? words.ofWhole(formatDuration(ms)) : formatDuration(ms)}</span>
    </p>
    <div role="group" aria-label={words.rangeTools} className={bars.group} onKeyDown={onKeyDown}>
      {tools.map(([step, sign, name, key, shortcut]) => (
        <button
          key={step}
          type="button"
          className={bars.tool}
          aria-label={name}
          aria-keyshortcuts={shortcut}
          // The attribute `disabled` would take the focus away from who presses the key until the end.
          aria-disabled={isUseless(step)}
          title={`${name} (${key})`}
          onClick={() => onStep(step)}
        >
          {sign}
        </button>
      ))}
    </div>
  </div>
);

const steps: Readonly<Record<string, RangeStep>> = { '+': 'in', '=': 'in', '-': 'out', '0': 'whole' };
const shifted: Readonly<Record<string, RangeStep>> = {
  '+': 'in',
  ArrowLeft: 'earlier',
  ArrowRight: 'later',
};

/** The step of a key that was pressed in the timeline, and not in what is opened above it. */
export function findStep(event: KeyboardEvent<HTMLElement>): RangeStep | undefined {
  const { key, shiftKey, altKey, ctrlKey, metaKey, target, currentTarget } = event;
  if (altKey || ctrlKey || metaKey) return undefined;
  if (!(target instanceof Node && currentTarget.contains(target))) return undefined;
  return (shiftKey ? shifted : steps)[key];
}
