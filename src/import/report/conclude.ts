import { relative } from 'node:path';
import { withHint } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { RecordResult, Row } from '../../core/result.ts';
import { inLang } from '../../core/text/phrase.ts';
import { inShell } from '../../core/text/typed.ts';
import { bulkMessages } from '../../messages/bulk.ts';
import { codesChangedText } from '../../messages/errors/import-errors.ts';
import { countedWord } from '../../messages/import-nouns.ts';
import { sentenceIn } from '../../messages/problems.ts';
import { howText } from '../../rehearsal/rehearsed-text.ts';
import type { Stop } from '../open-run.ts';
import type { Run } from '../store/run-file.ts';
import { summary } from '../store/run-summary.ts';
import { nextFor } from './document/next-steps.ts';
import { endingsOf } from './ending.ts';
import {
  briefColumns,
  COUNTS,
  summarise,
  summaryLayout,
  summarySentence,
} from './import-summary.ts';
import { resolveCommand, resumeCommand } from './next-command.ts';
import { writeFiles } from './report-files.ts';
import { countedIn, rowsIn } from './words.ts';

/** Unconfirmed rows that a terminal shows with their reasons. */
const UNCONFIRMED_SHOWN = 10;

export async function conclude(
  journal: Run,
  stop: Stop | undefined,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<RecordResult> {
  await journal.repairEarlier();
  const { undelivered, ...files } = await writeFiles(journal, ports);
  const run = summary(journal);
  const { counts } = run;
  const resume = resumeCommand(run, ports);
  const { rejectedFile } = files;
  const shownFile = rejectedFile === undefined ? undefined : near(rejectedFile, ports.self.cwd);
  const { stderrIsTerminal, stdoutIsTerminal } = ports.io.terminal;
  if (counts.created > 0) {
    const what = `import ${run.header.source.name}: ${rowsIn(counts.created, countedWord(1, countedIn(run.header), 'en'))} created`;
    ports.api.noteWritten({ what, see: `proc imports show ${inShell(run.header.run)}` });
  }
  const changed = run.fact('codesChanged');
  if (changed !== undefined) {
    const { sent, stored } = changed;
    ports.io.say({ kind: 'warning', text: codesChangedText(howText(changed), sent, stored) });
  }
  const [failure, ...warnings] = endingsOf(run, {
    stop,
    resume,
    resolve: resolveCommand(run.header, ports),
    rejectedFile: stderrIsTerminal ? shownFile : rejectedFile,
    undelivered,
  });
  for (const error of warnings) ports.io.say({ kind: 'warning', text: withHint(error) });
  const value = summarise(run, journal, {
    files,
    stop,
    resume: run.isLost ? undefined : resume,
    next: nextFor(run, rejectedFile, ports),
  });
  const lang = await ports.io.lang();
  const result = { kind: 'record', idField: 'run', value, failure } as const;
  if (stderrIsTerminal) {
    const tone = failure === undefined ? { tone: 'done' as const } : {};
    ports.io.say({ kind: 'notice', text: summarySentence(value, lang), ...tone });
  }
  if (!stdoutIsTerminal) return { ...result, ...summaryLayout(lang) };
  const layout = (shown: Row) => ({
    ...summaryLayout(lang),
    columns: briefColumns(shown, lang),
    isBrief: true,
  });
  const isTable = stderrIsTerminal && (await ports.io.showsTable());
  if (!isTable || ports.self.flags.fields !== undefined) return { ...result, ...layout(value) };
  // A table has no room for reasons.
  const { unconfirmedRows, ...others } = value;
  if (unconfirmedRows !== undefined) {
    const rows = journal.rows.reported.unconfirmed(UNCONFIRMED_SHOWN);
    const lines = rows.map(({ row, code, reason }) =>
      bulkMessages[lang].openRow(row, code, undefined, sentenceIn(reason, lang)),
    );
    ports.io.say({ kind: 'notice', text: lines.map((line) => `  ${line}`).join('\n') });
  }
  const shown = {
    ...others,
    ...(shownFile === undefined ? {} : { rejectedFile: shownFile }),
    ...(stop === undefined ? {} : { stopped: inLang(stop.why, lang) }),
  };
  const laidOut = { ...result, ...layout(shown), value: shown };
  if (ports.self.flags.output !== undefined) return laidOut;
  const columns = laidOut.columns.filter(({ key }) => !isSaid(key));
  return columns.length > 0 ? { ...laidOut, columns } : { ...laidOut, page: () => '' };
}

/** Whether the sentence above the table, or the error below it, says this. */
function isSaid(key: string): boolean {
  const counts: readonly string[] = COUNTS;
  return counts.includes(key) || ['run', 'rejectedFile', 'resume', 'stopped'].includes(key);
}

/** A file as a person in this folder would type it: without the folder, if it is there. */
function near(file: string, folder: string): string {
  const path = relative(folder, file);
  return path.startsWith('..') ? file : path;
}
