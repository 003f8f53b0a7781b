// The picture of usage: a bar for each day or month. The table below it has the same figures for those who do not see it.
import { useMemo } from 'react';
import { formatPeriod } from '../parts/format.ts';
import styles from './spend-chart.module.css';
import type { Bar, Bars } from './sums.ts';
import { words } from './words.ts';

interface SpendChartProps extends Bars {
  readonly measure: string;
  readonly by: string;
  readonly total: number;
  readonly format: (value: number) => string;
}

const height = 100;
const step = 10;
const gap = 2;
const colors = 6;

export function SpendChart({ series, bars, most, measure, by, total, format }: SpendChartProps) {
  const top = most?.total ?? 0;
  const name = words.picture(
    measure,
    by,
    format(total),
    most ? words.most(format(top), formatPeriod(most.period)) : '',
  );
  const [first, last] = [bars[0], bars.at(-1)];
  return (
    <figure className={styles.chart}>
      <div className={styles.top} aria-hidden="true">
        {format(top)}
      </div>
      <svg
        role="img"
        aria-label={name}
        className={styles.bars}
        viewBox={`0 0 ${Math.max(1, bars.length) * step} ${height}`}
        preserveAspectRatio="none"
      >
        {bars.map((bar, index) => (
          <BarParts key={bar.period} bar={bar} x={index * step} top={top} labels={series} format={format} />
        ))}
      </svg>
      <div className={styles.axis} aria-hidden="true">
        <span>{first && formatPeriod(first.period)}</span>
        {last !== first && <span>{last && formatPeriod(last.period)}</span>}
      </div>
      {series.length > 1 && <Legend series={series} format={format} />}
    </figure>
  );
}

interface BarPartsProps {
  readonly bar: Bar;
  readonly x: number;
  readonly top: number;
  readonly labels: Bars['series'];
  readonly format: (value: number) => string;
}

function BarParts({ bar, x, top, labels, format }: BarPartsProps) {
  const parts = useMemo(() => stack(bar.parts, top), [bar, top]);
  return (
    <g>
      <title>{`${formatPeriod(bar.period)}: ${format(bar.total)}`}</title>
      {parts.map(({ y, size, index, value }) => (
        <rect
          key={index}
          className={styles[`series${index % colors}`]}
          x={x + gap / 2}
          width={step - gap}
          y={y}
          height={size}
        >
          <title>
            {[labels[index]?.label, formatPeriod(bar.period), format(value)].filter(Boolean).join(', ')}
          </title>
        </rect>
      ))}
    </g>
  );
}

/** From the bottom, largest series first. What is there is never too low to be seen. */
function stack(parts: readonly number[], top: number) {
  let y = height;
  return parts.flatMap((value, index) => {
    if (value <= 0 || top <= 0) return [];
    const size = Math.max(1, (value / top) * (height - parts.length));
    y -= size;
    return [{ y, size, index, value }];
  });
}

const Legend = ({ series, format }: Pick<SpendChartProps, 'series' | 'format'>) => (
  <ul className={styles.legend} aria-label={words.legend}>
    {series.map(({ label, total }, index) => (
      <li key={label}>
        <svg aria-hidden="true" className={styles.swatch} viewBox="0 0 10 10">
          <rect className={styles[`series${index % colors}`]} width="10" height="10" rx="2" />
        </svg>
        <span>{label}</span> <span className={styles.soft}>{format(total)}</span>
      </li>
    ))}
  </ul>
);
