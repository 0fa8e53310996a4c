import { existsSync, rmSync } from 'node:fs';

export function markPath(path: string): string {
  return path.replace(/\.db$/, '.mark');
}

/** SQLite's write-ahead log of a database file. */
export function logPath(path: string): string {
  return `${path}-wal`;
}

export function removeFiles(path: string): void {
  for (const file of [path, logPath(path), `${path}-shm`, markPath(path)]) {
    if (existsSync(file)) rmSync(file, { force: true });
  }
}
