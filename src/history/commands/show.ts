import { command } from '../../core/command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { SHOW_COLUMNS, wholeRow } from '../entry-rows.ts';
import { findEntry } from '../find-entry.ts';
import { ENTRY } from './entry-flags.ts';

export const show = command({
  path: ['history', 'show'],
  changes: 'nothing',
  prints: 'record',
  summary: 'Show one entry in full: request, response, previous value',
  args: ENTRY,
  examples: [
    { run: 'proc history show h-7k3mqd -o json', doc: 'with request, response and previous value' },
    { run: 'proc history show h-7k3mqd -q payload', doc: 'only the payload' },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['store', 'self'],
  async run({ args }, ports) {
    const entry = await findEntry(ports, args.id);
    return { kind: 'record', columns: SHOW_COLUMNS, value: wholeRow(entry) };
  },
});
