import { command } from '../../core/command.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { WRITE_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { IMPORT_TARGETS } from '../targets/all-targets.ts';
import { RUN } from './run-arg.ts';

export const resolve = command({
  path: ['imports', 'resolve'],
  changes: 'local',
  prints: 'record',
  shape: ({ z, record }) => record(z.looseObject({ run: z.string(), unconfirmed: z.number() })),
  summary: 'Record the outcome of unconfirmed rows',
  description:
    'Check the service first. Without a row, the outcome applies to all unconfirmed rows (in a script, add --all --yes). Without an outcome flag, proc asks row by row.',
  details:
    '--adopt: if the service can list the records, proc checks that the list has a record with this id, that the record did not exist before the run, and that it has the code of the row. proc also refuses a record that another row or command of this machine created.\n\n--resend: if the list has the row, proc proposes to adopt the record instead. If the list may be incomplete, proc demands --again. To send the rows afterwards: proc imports resume\n\n--from: write the file with proc imports rows RUN --state unconfirmed --out FILE.csv, then fill in its columns outcome (adopt, resend or drop) and id. The file may have any format that imports read. proc checks the whole file before it records anything.',
  args: {
    run: RUN,
    row: { doc: 'number or code of the row', optional: true, variadic: true },
  },
  flags: {
    adopt: { kind: 'string', value: 'id', doc: 'the row was created and has this id' },
    resend: { kind: 'boolean', doc: 'the row was not created: send it again' },
    drop: { kind: 'boolean', doc: 'stop tracking the row; its outcome stays unknown' },
    from: {
      kind: 'string',
      value: 'file',
      doc: 'outcomes in a file: columns row, outcome, id',
    },
    sheet: {
      kind: 'string',
      value: 'name',
      doc: 'with --from: sheet of an .xlsx workbook',
    },
    all: { kind: 'boolean', doc: 'all unconfirmed rows; required in a script that names no row' },
    tune: {
      kind: 'strings',
      value: 'key=value',
      pairs: { settle: [] },
      doc: 'settle=TIME: before a resend, wait until the row was sent this long ago (default 30s, or 2 × --timeout if longer)',
    },
    waitLock: {
      kind: 'duration',
      value: 'time',
      doc: 'wait this long for another import into the same service',
      defaultText: 'no wait',
    },
  },
  examples: [
    {
      run: 'proc imports resolve 20260302-110000-3c4d 1 --adopt im-204',
      doc: 'row 1 was created as im-204',
    },
    {
      run: 'proc imports resolve 20260303-120000-5e6f --from examples/outcomes.csv --yes',
      doc: 'outcomes of many rows, from a file',
    },
    {
      run: 'proc imports resolve 20260302-110000-3c4d --resend --all --yes',
      doc: 'none was created: send them again, in a script',
    },
  ],
  exitCodes: [...WRITE_CODES, EXIT.incomplete],
  needs: ['io', 'api', 'ask', 'store', 'self'],
  plan: async ({ args, flags }, ports) =>
    (await import('../reconcile/resolve/resolve-rows.ts')).planResolve(
      IMPORT_TARGETS,
      args,
      flags,
      ports,
    ),
});
