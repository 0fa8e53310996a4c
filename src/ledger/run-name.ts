import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openDatabase } from '../store/open-database.ts';

/** The name of a new run: sorts by time and is easy to type. */
export function newRun(now: number): string {
  const time = new Date(now).toISOString().replace(/[-:T]/g, '').slice(0, 14);
  return `${time.slice(0, 8)}-${time.slice(8)}-${randomBytes(2).toString('hex')}`;
}

/** For completion, which loads little. The newest run comes first; none if there is no ledger. */
export function runNames(folder: string, most: number): readonly string[] {
  try {
    const database = openDatabase(join(folder, 'ledger.db'), { readOnly: true });
    return database
      .prepare(
        "SELECT name FROM runs WHERE header <> 'null' AND phase <> 'filling' ORDER BY number DESC LIMIT ?",
      )
      .all(most)
      .map(({ name }) => String(name));
  } catch {
    return [];
  }
}
