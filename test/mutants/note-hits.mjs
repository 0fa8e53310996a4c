// Loaded into the processes that a test starts: writes at once which mutants they execute, because they may be killed.
import { randomUUID } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const file = openSync(join(process.env.STRYKER_HITS, randomUUID()), 'a');
const write = writeSync;
const hits = new Proxy(
  {},
  {
    set(known, id, count) {
      if (!(id in known)) write(file, `${String(id)}\n`);
      known[id] = count;
      return true;
    },
  },
);
globalThis.__stryker__ = { mutantCoverage: { static: hits, perTest: {} } };
