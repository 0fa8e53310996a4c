import type { ReportDocument, Section, Tone } from '../../../core/document/document.ts';
import { VERSION } from '../../../core/proc-version.ts';
import type { Lang } from '../../../core/text/phrase.ts';
import { momentText } from '../../../core/time/moment.ts';
import { importReportMessages } from '../../../messages/reports/import-report.ts';
import type { ListedRow } from '../../ledger/rows/reported-rows.ts';
import { countsText } from '../import-summary.ts';
import { isUnsent } from './next-steps.ts';
import { type RunReport, warningsOf } from './run-report.ts';
import { aboutSection } from './sections/about-section.ts';
import { createdSection } from './sections/created-section.ts';
import { duplicatesSection } from './sections/duplicates-section.ts';
import { mappingSection } from './sections/mapping-section.ts';
import { nextSection } from './sections/next-section.ts';
import { rateSection } from './sections/rate-section.ts';
import { rejectedSection } from './sections/rejected-section.ts';
import type { RunContent } from './sections/row-table.ts';
import { sendingSection } from './sections/sending-section.ts';
import { statesSection } from './sections/states-section.ts';
import { toSendSection } from './sections/to-send-section.ts';
import { unconfirmedSection } from './sections/unconfirmed-section.ts';

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
  const words = importReportMessages[lang];
  const content: RunContent = { report, lang, words, created };
  const { phase, header, shown, running } = report;
  const isPlanned = isUnsent({ phase });
  const sections = [
    nextSection(content),
    sendingSection(content),
    unconfirmedSection(content),
    rejectedSection(content),
    created === undefined ? undefined : createdSection(content),
    warningsSection(content),
    isPlanned ? toSendSection(content) : undefined,
    statesSection(content),
    rateSection(content),
    duplicatesSection(content),
    created === undefined ? createdSection(content) : undefined,
    mappingSection(content),
    aboutSection(content),
  ];
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
    sections: sections.filter((section) => section !== undefined),
    footer: words.footer(VERSION, momentText(now)),
  };
}

function momentOf(iso: string | undefined): string | undefined {
  return iso === undefined ? undefined : momentText(Date.parse(iso));
}

function toneOf({ counts, steps, running }: RunReport): Tone {
  if (running !== undefined) return 'neutral';
  if (counts.unknown > 0) return 'bad';
  return steps.length > 0 ? 'attention' : 'good';
}

function warningsSection({ report, lang, words }: RunContent): Section | undefined {
  const { title } = words.warnings;
  const items = warningsOf(report, lang).map(({ message }) => message);
  if (items.length === 0) return undefined;
  return { title, tone: 'attention', blocks: [{ kind: 'list', items }] };
}
