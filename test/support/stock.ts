import { DatabaseSync } from 'node:sqlite';
import { SANDBOX_KEYS } from '../../src/sandbox/seed.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { Store } from '../../src/sandbox/store.ts';

interface Item {
  readonly name: string;
  readonly code: string;
}

/**
 * Stores items of the first organization directly in the database of a sandbox.
 */
export function stock({ dbPath }: Pick<Sandbox, 'dbPath'>, items: readonly Item[]): void {
  const database = new DatabaseSync(dbPath);
  try {
    database.exec('BEGIN IMMEDIATE');
    const store = new Store(database);
    for (const item of items) store.insert('items', SANDBOX_KEYS[0].organizationId, { ...item });
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}
