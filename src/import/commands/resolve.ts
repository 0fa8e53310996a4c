import { command } from '../../core/command.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { WRITE_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { RESUME_FLAGS } from '../import-flags.ts';
import { IMPORT_TARGETS } from '../targets/all-targets.ts';
import { RUN } from './run-arg.ts';

export const resolve = command({
  path: ['imports', 'resolve'],
  changes: 'local',
  prints: 'record',
  summary: 'Say what became of rows in doubt',
  description:
    'Look for them in the service first. --adopt: it was created, with this id; --resend: it was not, and is sent again by proc imports resume, once the list shows that it is not there: a row that is there is proposed for adoption, and one that an incomplete list does not show is sent again with --again only; --drop: it is given up. Without any of these it asks, row by row; without a row it is about all unconfirmed rows, after a confirmation (in a script: --all --yes). An id to adopt is looked for where there is a list: it must be there, be new, carry the code of the row, and belong to nothing else that was created from here.',
  args: {
    run: RUN,
    row: { doc: 'number of the row, or its code', optional: true, variadic: true },
  },
  flags: {
    adopt: { kind: 'string', value: 'id', doc: 'it was created and has this id' },
    resend: { kind: 'boolean', doc: 'it was not created: send it again, unless the list shows it' },
    drop: { kind: 'boolean', doc: 'it is given up' },
    all: { kind: 'boolean', doc: 'every unconfirmed row; a script needs it where it names none' },
    settle: RESUME_FLAGS.settle,
    waitLock: {
      kind: 'duration',
      value: 'time',
      doc: 'wait this long for an import into the same service to end',
      defaultText: 'not at all',
    },
  },
  examples: [
    { run: 'proc imports resolve 20260302-110000-3c4d 1 --adopt im-204', doc: 'row 1 is there' },
    {
      run: 'proc imports resolve 20260302-110000-3c4d --resend --all --yes',
      doc: 'none of them is there, in a script',
    },
  ],
  exitCodes: [...WRITE_CODES, EXIT.incomplete],
  needs: ['io', 'api', 'ask', 'store', 'self'],
  plan: async ({ args, flags }, ports) =>
    (await import('../reconcile/resolve/resolve-rows.ts')).planResolve(
      IMPORT_TARGETS,
      args.run,
      args.row ?? [],
      flags,
      ports,
    ),
});
