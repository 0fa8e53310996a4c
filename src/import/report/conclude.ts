import type { Ports } from '../../core/ports.ts';
import type { RecordResult } from '../../core/result.ts';
import { changeText } from '../../core/service/code-change.ts';
import { inShell } from '../../core/text/typed.ts';
import { countedWord } from '../../messages/import-nouns.ts';
import type { Journal } from '../ledger/journal.ts';
import { summary } from '../ledger/run-summary.ts';
import type { Stop } from '../send/sending.ts';
import { nextFor } from './document/next-steps.ts';
import { endingsOf } from './ending.ts';
import { briefColumns, summarise, summaryLayout, summarySentence } from './import-summary.ts';
import { resolveCommand, resumeCommand } from './next-command.ts';
import { writeFiles } from './report-files.ts';
import { countedIn, rowsIn } from './words.ts';

export async function conclude(
  journal: Journal,
  stop: Stop | undefined,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<RecordResult> {
  await journal.repairEarlier();
  const { undelivered, ...files } = await writeFiles(journal, ports);
  const run = summary(journal);
  const { counts } = run;
  const resume = resumeCommand(run, ports);
  const { rejectedFile } = files;
  if (counts.created > 0) {
    const what = `import ${run.header.source.name}: ${rowsIn(counts.created, countedWord(1, countedIn(run.header), 'en'))} created`;
    ports.api.noteWritten({ what, see: `proc imports show ${inShell(run.header.run)}` });
  }
  const changed = run.fact('codesChanged');
  if (changed !== undefined) {
    const { sent, stored } = changed;
    const text = `the service stores codes ${changeText(changed)}: it stored ${sent} as ${stored}`;
    ports.io.say({ kind: 'warning', text });
  }
  const [failure, ...others] = endingsOf(run, {
    stop,
    resume,
    resolve: resolveCommand(run.header, ports),
    rejectedFile,
    undelivered,
  });
  for (const { message, hint } of others) {
    ports.io.say({ kind: 'warning', text: hint === undefined ? message : `${message}. ${hint}` });
  }
  const value = summarise(
    run,
    journal,
    files,
    stop,
    run.isLost ? undefined : resume,
    nextFor(run, rejectedFile, ports),
  );
  const result = { kind: 'record', idField: 'run', value, failure } as const;
  const { terminal, say, lang: langOf } = ports.io;
  const lang = await langOf();
  if (terminal.stderrIsTerminal) {
    const text = summarySentence(value, lang);
    say({ kind: 'notice', text, ...(failure === undefined ? { tone: 'done' } : {}) });
  }
  return terminal.stdoutIsTerminal
    ? {
        ...result,
        ...summaryLayout(lang),
        columns: briefColumns(value, lang),
        isBrief: true,
      }
    : { ...result, ...summaryLayout(lang) };
}
