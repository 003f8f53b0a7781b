// The keys of dead letters in the runs table.
export interface LetterPlace {
  readonly orgid: string;
  readonly workspaceid: string;
}

/** The partition of the workspaces that have dead letters; those of the letters begin with it. */
export const placesKey = 'DEAD#';

export const letterPartition = ({ orgid, workspaceid }: LetterPlace) => `${placesKey}${orgid}#${workspaceid}`;
export const letterKey = (place: LetterPlace, id: string) => ({ pk: letterPartition(place), sk: id });
