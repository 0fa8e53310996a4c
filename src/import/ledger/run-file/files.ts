import { existsSync, rmSync } from 'node:fs';

/** The file of the commit mark of a journal. */
export function markPath(path: string): string {
  return path.replace(/\.db$/, '.mark');
}

/** The write-ahead log of a journal. */
export function logPath(path: string): string {
  return `${path}-wal`;
}

export function removeFiles(path: string): void {
  for (const file of [path, logPath(path), `${path}-shm`, markPath(path)]) {
    if (existsSync(file)) rmSync(file, { force: true });
  }
}
