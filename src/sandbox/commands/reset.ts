import { command } from '../../core/command.ts';
import { EXIT } from '../../core/exit-codes.ts';
import type { Result } from '../../core/result.ts';
import { checkSandboxDatabase, dayOf, resetSandboxDatabase } from '../database/database.ts';
import { DB_FLAG, databaseFile } from './database-flag.ts';
import { HABIT_FLAGS } from './habit-flags.ts';

export const reset = command({
  path: ['sandbox', 'reset'],
  changes: 'local',
  prints: 'record',
  summary: 'Reset the data of the sandbox',
  description: 'Fails if a running sandbox uses the database.',
  flags: { db: DB_FLAG, empty: HABIT_FLAGS.empty, asOf: HABIT_FLAGS.asOf },
  examples: [
    { run: 'proc sandbox reset', doc: 'remove everything created in it' },
    { run: 'proc sandbox reset --empty', doc: 'no sample data' },
  ],
  exitCodes: [EXIT.configuration],
  needs: ['self'],
  async plan({ flags }, ports) {
    const db = databaseFile(ports, flags.db);
    checkSandboxDatabase(db);
    const { empty, asOf = 'today' } = flags;
    dayOf(asOf);
    const result = (): Result => ({
      kind: 'record',
      idField: 'db',
      value: { reset: true, db, empty },
    });
    return {
      would: result,
      async apply() {
        resetSandboxDatabase(db, { empty, asOf });
        return result();
      },
    };
  },
});
