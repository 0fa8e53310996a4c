import { command } from '../../core/command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { runDetails, runFields } from '../report/run-shapes.ts';
import { SHOWN } from './run-arg.ts';

export const show = command({
  path: ['imports', 'show'],
  changes: 'nothing',
  prints: 'record',
  shape: (kit) => kit.record(kit.z.looseObject({ ...runFields(kit), ...runDetails(kit) })),
  summary: 'Show one import run: counts, mapping and options',
  args: { run: SHOWN },
  flags: {
    statement: {
      kind: 'string',
      value: 'file',
      doc: 'write the statement of a staged run to this file, for a review',
    },
  },
  examples: [
    { run: 'proc imports show 20260301-093000-1a2b', doc: 'one run' },
    {
      run: "proc imports show 20260301-093000-1a2b -q '{created: created, unconfirmed: unconfirmed}'",
      doc: 'number of rows in some states',
    },
    {
      run: 'proc imports show 20260305-140000-9c0d --statement catalog.statement',
      doc: 'write a staged run as text that people can review',
    },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'self'],
  run: async ({ args, flags }, ports) =>
    (await import('../manage/show-run.ts')).showRun(args.run, flags, ports),
});
