import type { BarColour, Section, Table } from '../../../../core/document/document.ts';
import { grouped } from '../../../../core/text/decimal.ts';
import { importRunMessages } from '../../../../messages/import-run.ts';
import { columnsOf, type RunContent } from './row-table.ts';

/** In the order of the table and the chart. */
const STATES = {
  created: 'green',
  existing: 'blue',
  duplicates: 'violet',
  rejected: 'red',
  unknown: 'orange',
  sending: 'blue',
  pending: 'grey',
  dropped: 'brown',
  filtered: 'grey',
} as const satisfies Record<string, BarColour>;

export function statesSection(content: RunContent): Section {
  const { title, chart, all } = content.words.states;
  const {
    report: { counts },
    lang,
  } = content;
  const { labels } = importRunMessages[lang];
  const states = Object.entries(STATES).flatMap(([state, colour]) => {
    const value = counts[state as keyof typeof STATES] ?? 0;
    const label = labels[state as keyof typeof STATES];
    return value === 0 ? [] : [{ label, value, text: grouped(value, lang), colour }];
  });
  const table: Table = {
    kind: 'table',
    title,
    columns: columnsOf(content, ['state', 'rows']),
    rows: [
      ...states.map(({ label, value }) => ({ state: label, rows: value })),
      { state: all, rows: counts.rows },
    ],
    count: states.length + 1,
    most: undefined,
  };
  const said = states.map(({ label, text }) => `${text} ${label}`).join(', ');
  if (states.length === 0) return { title, blocks: [table] };
  return { title, blocks: [{ kind: 'bars', title: chart(said), bars: states }, table] };
}
