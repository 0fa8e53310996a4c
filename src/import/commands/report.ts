import { command } from '../../core/command.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { namedRow, runDetails, runFields } from '../report/run-shapes.ts';
import { SHOWN } from './run-arg.ts';

export const report = command({
  path: ['imports', 'report'],
  changes: 'nothing',
  prints: 'record',
  shape: (kit) => {
    const { record, z, textOrNull, numberOrNull } = kit;
    return record(
      z.looseObject({
        ...runFields(kit),
        ...runDetails(kit),
        parked: z.number(),
        firstSentAt: textOrNull,
        finishedAt: textOrNull,
        seconds: numberOrNull,
        actor: textOrNull,
        user: textOrNull,
        host: textOrNull,
        job: textOrNull,
        version: textOrNull,
        steps: z.array(z.looseObject({ what: z.string(), rows: z.number(), command: z.string() })),
        warnings: z.array(z.looseObject({ kind: z.string(), message: z.string() })),
        reasons: z.array(
          z.looseObject({
            reason: textOrNull,
            rows: z.number(),
            examples: z.array(
              z.extend(namedRow(kit), {
                line: numberOrNull,
                name: textOrNull,
                reason: z.string(),
                status: numberOrNull,
                cells: z.array(z.looseObject({ column: z.string(), value: z.string() })),
              }),
            ),
          }),
        ),
        rate: z.array(z.looseObject({ at: z.string(), rows: z.number(), perSecond: z.number() })),
      }),
      'The figures of the report. Without -o json it prints Markdown.',
    );
  },
  reports: 'always',
  summary: 'Write a report about an import run, to mail or to print',
  description:
    'Prints Markdown, e.g. for the summary of a CI job. --out writes one file; its extension selects the format: html (a page without scripts), md or xlsx. -o json prints the figures.',
  args: { run: SHOWN },
  flags: {
    created: {
      kind: 'boolean',
      doc: 'list all created rows, e.g. if they must be removed again',
    },
  },
  examples: [
    {
      run: 'proc imports report 20260301-093000-1a2b --out report.html',
      doc: 'a page to mail or to print',
    },
    {
      run: 'proc imports report 20260301-093000-1a2b --created --out created.xlsx',
      doc: 'what a wrong import created',
    },
    {
      run: 'proc imports report 20260302-110000-3c4d --lang es -o table',
      doc: 'Markdown, in Spanish',
    },
  ],
  exitCodes: LOCAL_CODES,
  needs: ['io', 'self', 'store'],
  run: async ({ args, flags }, ports) =>
    (await import('../manage/report-run.ts')).reportRun(args.run, flags, ports),
});
