import { existsSync, rmSync } from 'node:fs';

/** Where the number of a journal's last commit is kept. */
export function markPath(path: string): string {
  return path.replace(/\.db$/, '.mark');
}

/** SQLite's write-ahead log of a journal. */
export function logPath(path: string): string {
  return `${path}-wal`;
}

/** Removes all files of a journal that may be there. */
export function removeFiles(path: string): void {
  for (const file of [path, logPath(path), `${path}-shm`, markPath(path)]) {
    if (existsSync(file)) rmSync(file, { force: true });
  }
}
