import type { DatabaseSync } from 'node:sqlite';

export function isQueryOnly(database: DatabaseSync): boolean {
  return database.prepare('PRAGMA query_only').get()!.query_only === 1;
}

/** Writes temporary tables. A preview may do so too, although it cannot write to the file of the run. */
export function writeTemporary(database: DatabaseSync, isPreview: boolean, work: () => void): void {
  if (isPreview) database.exec('PRAGMA query_only = 0');
  try {
    work();
  } finally {
    if (isPreview) database.exec('PRAGMA query_only = 1');
  }
}
