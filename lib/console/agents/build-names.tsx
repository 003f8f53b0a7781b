// The numbers of the builds of a flow, by id: people know a build by its number.
import { createContext, useContext } from 'react';
import { Link } from 'wouter';
import { buildPath } from './queries.ts';
import { words } from './words.ts';

export const BuildNames = createContext<ReadonlyMap<string, number>>(new Map());

/** `Build 3`, or the id of a build that is not among those that were read. */
export function useBuildName(): (id: string) => string {
  const numbers = useContext(BuildNames);
  return (id) => {
    const number = numbers.get(id);
    return number === undefined ? id : words.buildNo(number);
  };
}

export function BuildLink({ flowid, id }: { flowid: string; id: string }) {
  const nameOf = useBuildName();
  return <Link href={buildPath(flowid, id)}>{nameOf(id)}</Link>;
}
