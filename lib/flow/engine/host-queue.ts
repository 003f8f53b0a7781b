// Bounds how many requests of a run to one host are open at the same time, whichever scopes send them.

export interface HostQueue {
  /**
   * Resolves when fewer than `max` requests to the host are open, in the order of the calls; rejects if the
   * signal aborts before. Call the result once the request has ended. A request that is aborted does not count
   * any more, even if its port never answers.
   */
  readonly enter: (host: string, max: number | undefined, signal: AbortSignal) => Promise<() => void>;
}

interface Host {
  open: number;
  readonly waiting: Waiter[];
}

interface Waiter {
  readonly max: number;
  readonly begin: () => void;
}

export function createHostQueue(): HostQueue {
  const hosts = new Map<string, Host>();
  return {
    enter: async (name, max = Number.POSITIVE_INFINITY, signal) => {
      const host = hosts.get(name) ?? { open: 0, waiting: [] };
      hosts.set(name, host);
      const mustWait = host.open >= max || (host.waiting.length > 0 && Number.isFinite(max));
      if (mustWait) await waitForTurn(host, max, signal);
      else host.open++;
      let isOpen = true;
      const leave = () => {
        signal.removeEventListener('abort', leave);
        if (!isOpen) return;
        isOpen = false;
        host.open--;
        beginNext(host);
        if (host.open === 0) hosts.delete(name);
      };
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave);
      return leave;
    },
  };
}

/** Whoever ends counts the next one as open, so that no other comes in between. */
function waitForTurn(host: Host, max: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const waiter = { max, begin: resolve };
    host.waiting.push(waiter);
    const leave = () => {
      const index = host.waiting.indexOf(waiter);
      if (index < 0) return;
      host.waiting.splice(index, 1);
      reject(signal.reason);
      beginNext(host);
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}

function beginNext(host: Host): void {
  for (let [next] = host.waiting; next && host.open < next.max; [next] = host.waiting) {
    host.waiting.shift();
    host.open++;
    next.begin();
  }
}
