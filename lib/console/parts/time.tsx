// A time as it is long ago, with the exact one for those who look.
import { useEffect, useState } from 'react';
import { formatAgo, formatFull } from './format.ts';

export function Ago({ time }: { time: string }) {
  const now = useNow(10_000);
  return (
    <time dateTime={time} title={formatFull(time)}>
      {formatAgo(time, now)}
    </time>
  );
}

/** The time, again after each interval. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
