import { command } from '../../core/command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { LISTED_STATES } from '../store/reported-rows.ts';
import { SHOWN } from './run-arg.ts';

export const rows = command({
  path: ['imports', 'rows'],
  changes: 'nothing',
  prints: 'list',
  shape: ({ z, textOrNull, numberOrNull, anyValue, list }) =>
    list(
      z.looseObject({
        row: z.number(),
        line: numberOrNull,
        state: z.string(),
        code: textOrNull,
        name: textOrNull,
        id: textOrNull,
        status: numberOrNull,
        reason: textOrNull,
        findings: textOrNull,
        sentAt: textOrNull,
        record: anyValue,
      }),
    ),
  summary: 'List the rows of an import run and their outcomes',
  args: { run: SHOWN },
  flags: {
    state: {
      kind: 'choice',
      choices: LISTED_STATES,
      value: 'state',
      doc: 'only rows in this state',
    },
    limit: { kind: 'integer', min: 1, value: 'n', doc: 'print at most this many rows' },
  },
  examples: [
    {
      run: 'proc imports rows 20260302-110000-3c4d --state unconfirmed',
      doc: 'rows that were sent but not confirmed',
    },
    {
      run: "proc imports rows 20260301-093000-1a2b --where 'reason~price' --fields row,line,reason",
      doc: 'rows whose reason contains a word',
    },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['self'],
  run: async ({ args, flags }, ports) =>
    (await import('../manage/show-run.ts')).listRows(args.run, flags, ports),
});
