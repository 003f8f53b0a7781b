// The keys of a run's header and events in the runs table.
export const headKey = (id: string) => ({ pk: `RUN#${id}`, sk: 'HEAD' });

export const eventKey = (id: string, generation: number) => ({
  pk: `RUN#${id}`,
  sk: `E#${String(generation).padStart(10, '0')}`,
});
