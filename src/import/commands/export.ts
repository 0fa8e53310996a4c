import { command } from '../../core/command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { RUN } from './run-arg.ts';

export const exportStaged = command({
  path: ['imports', 'export'],
  changes: 'nothing',
  prints: 'text',
  summary: 'Write a staged import to one file, for another machine',
  description:
    'The file has every row, the mapping, the digest and the approvals, but no key. To receive it there: proc imports receive. It is NDJSON, whatever the extension of --out.',
  args: { run: RUN },
  examples: [
    {
      run: 'proc imports export 20260306-150000-7e8f --out staged.ndjson',
      doc: 'for a colleague who approves it',
    },
    {
      run: 'proc imports export 20260306-150000-7e8f | sed \'/^{"digest":/,$d\' | sha256sum',
      doc: 'compute its digest without proc',
    },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['self'],
  run: async ({ args }, ports) =>
    (await import('../approval/export-run.ts')).exportRun(args.run, ports),
});
