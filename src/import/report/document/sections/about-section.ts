import type { Fact, Section } from '../../../../core/document/document.ts';
import { withMark } from '../../../../core/text/decimal.ts';
import { kebab } from '../../../../core/text/kebab.ts';
import { inShell } from '../../../../core/text/typed.ts';
import { momentText } from '../../../../core/time/moment.ts';
import { importRunMessages } from '../../../../messages/import-run.ts';
import type { RunContent } from './row-table.ts';

export function aboutSection({ report, lang, words: { about } }: RunContent): Section {
  const { header, facts, writer } = report;
  const { labels } = importRunMessages[lang];
  const { source } = header;
  const { finishedAt, workedMs, sealed } = facts;
  const lines: readonly (Fact | undefined)[] = [
    { label: labels.run, value: header.run, isCode: true },
    { label: about.service, value: header.baseUrl, isCode: true },
    given(labels.profile, header.profile),
    given(labels.environment, header.environment),
    given(labels.organization, header.organization),
    given(about.stagedBy, sealed && about.importer(sealed.importer.user, sealed.importer.host)),
    given(
      about.sentBy,
      writer && about.writer(writer.user, writer.host, writer.actor, writer.version),
    ),
    given(about.job, writer?.job),
    { label: labels.startedAt, value: momentText(Date.parse(header.startedAt)) },
    given(about.finished, finishedAt === undefined ? undefined : momentText(finishedAt)),
    given(
      about.took,
      workedMs === undefined
        ? undefined
        : about.seconds(withMark(Math.round(workedMs) / 1000, lang)),
    ),
    { label: about.file, value: source.name },
    given(about.size, source.bytes === null ? undefined : about.bytes(source.bytes)),
    { label: about.hash, value: source.hash, isCode: true },
    ...(sealed === undefined ? [] : [{ label: about.digest, value: sealed.digest, isCode: true }]),
    given(
      labels.choices,
      choicesText(header.choices as unknown as Readonly<Record<string, unknown>>),
    ),
  ];
  return {
    title: about.title,
    blocks: [{ kind: 'facts', facts: lines.filter((line) => line !== undefined) }],
  };
}

function given(label: string, value: string | undefined): Fact | undefined {
  return value === undefined || value === '' ? undefined : { label, value };
}

/** The choices as flags: `--on-existing skip --no-code reject`. */
function choicesText(choices: Readonly<Record<string, unknown>>): string {
  return Object.entries(choices)
    .filter(([, value]) => value !== undefined && value !== null && value !== false)
    .flatMap(([key, value]) => (Array.isArray(value) ? value : [value]).map((one) => [key, one]))
    .map(([key, value]) => (value === true ? flagOf(key) : `${flagOf(key)} ${inShell(value)}`))
    .join(' ');
}

function flagOf(key: string): string {
  return `--${kebab(key)}`;
}
