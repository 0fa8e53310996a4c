import type { ReportDocument, Tone } from '../../../core/document/document.ts';
import { VERSION } from '../../../core/proc-version.ts';
import type { Lang } from '../../../core/text/phrase.ts';
import { momentText } from '../../../core/time/moment.ts';
import { importReportMessages } from '../../../messages/reports/import-report.ts';
import type { ListedRow } from '../../store/reported-rows.ts';
import { countsText } from '../import-summary.ts';
import { countedIn } from '../words.ts';
import { isUnsent } from './next-steps.ts';
import type { RunReport } from './run-report.ts';
import { type RunContent, sectionsOf } from './sections.ts';

export interface DocumentOptions {
  readonly lang: Lang;
  /** Unix time, in ms. */
  readonly now: number;
  readonly created: Iterable<ListedRow> | undefined;
}

export function runDocument(
  report: RunReport,
  { lang, now, created }: DocumentOptions,
): ReportDocument {
  const words = importReportMessages(lang, countedIn(report.header));
  const content: RunContent = { report, lang, words, created };
  const { phase, header, shown, running } = report;
  const isPlanned = isUnsent({ phase });
  const said = [
    running && words.running(running.pid, momentOf(running.since)),
    isPlanned ? words.nothingSent : undefined,
    `${countsText(shown, lang, lang)}.`,
  ];
  return {
    lang,
    title: words.title(header.source.name),
    place: [header.profile, header.environment, momentText(Date.parse(header.startedAt))]
      .filter((part) => part !== undefined)
      .join(' · '),
    lead: said.filter((sentence) => sentence !== undefined).join(' '),
    tone: toneOf(report),
    sections: sectionsOf(content),
    footer: words.footer(VERSION, momentText(now)),
  };
}

function momentOf(iso: string | undefined): string | undefined {
  return iso === undefined ? undefined : momentText(Date.parse(iso));
}

function toneOf({ counts, steps, running }: RunReport): Tone {
  if (running !== undefined) return 'neutral';
  if (counts.unconfirmed > 0) return 'bad';
  return steps.length > 0 ? 'attention' : 'good';
}
