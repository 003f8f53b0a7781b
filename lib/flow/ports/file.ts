// Files that a run reads and stores.

export interface FileContent {
  readonly name: string;
  readonly media_type: string;
  readonly content: Uint8Array;
}

/** A stored file as flows hold it: small, and itself a reference to the file. A type, because it is kept as JSON. */
export type StoredFileReference = {
  readonly file: string;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
};

export interface SavedFile extends FileContent {
  /** Identifies the execution that saves. One that is repeated stores the same content under the same id. */
  readonly key: string;
}

/** The files of one run: those that the organisation of its caller has brought. Throws `file.*`. */
export interface RunFiles {
  /** A file whose content is there. */
  readonly find: (id: string, signal: AbortSignal) => Promise<StoredFileReference>;
  readonly read: (id: string, signal: AbortSignal) => Promise<FileContent>;
  readonly save: (file: SavedFile, signal: AbortSignal) => Promise<StoredFileReference>;
}
