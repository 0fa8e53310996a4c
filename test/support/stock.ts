import { DatabaseSync } from 'node:sqlite';
import { Store } from '../../src/sandbox/database/sandbox-store.ts';
import { SANDBOX_KEYS } from '../../src/sandbox/server/sandbox-keys.ts';
import type { Sandbox } from '../../src/sandbox/server/server.ts';

interface Item {
  readonly name: string;
  readonly code: string;
}

/**
 * Stores items of the first organization directly in the database of a sandbox. Call it before the sandbox has
 * stored an item.
 */
export function stock({ dbPath }: Pick<Sandbox, 'dbPath'>, items: readonly Item[]): void {
  const database = new DatabaseSync(dbPath);
  try {
    database.exec('BEGIN IMMEDIATE');
    const insert = new Store(database).inserter('items', ['name', 'code']);
    for (const { name, code } of items) insert(SANDBOX_KEYS[0].organizationId, { name, code });
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}
