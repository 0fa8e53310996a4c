import { expect, it } from 'vitest';
import { twiceText } from '../../../src/import/reconcile/seen-after.ts';
import { importReportMessages } from '../../../src/messages/reports/import-report.ts';

it.each([
  [1, 0, 'It was also created elsewhere', 'También se creó en otro lugar'],
  [5, 0, 'They were also created elsewhere', 'También se crearon en otro lugar'],
  [
    5,
    5,
    'commands of this machine created them too',
    'comandos de este equipo también los crearon',
  ],
  [
    5,
    2,
    'commands of this machine created 2 of them too. The other 3 were also created elsewhere',
    'comandos de este equipo también crearon 2 de ellos. Los otros 3 también se crearon en otro lugar',
  ],
])(
  'of %i codes that exist twice, %i by this machine: the terminal and the report say who created them',
  (twice, twiceHere, en, es) => {
    const named = [{ code: 'A-1', ids: ['itm-1', 'itm-2'] }];
    const ending = twiceText({ isComplete: true, twice, twiceHere, named });
    expect(ending?.en).toContain(en);
    expect(ending?.es).toContain(es);
    const codes = 'A-1 (itm-1, itm-2)';
    expect(importReportMessages('en', 'rows').warnings.twice(twice, codes, twiceHere)).toContain(
      en,
    );
    expect(importReportMessages('es', 'rows').warnings.twice(twice, codes, twiceHere)).toContain(
      es,
    );
  },
);
