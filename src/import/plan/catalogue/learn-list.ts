import type { Ports } from '../../../core/ports.ts';
import { detectDialect } from '../../../doctor/dialect/detect-dialect.ts';
import type { Finding } from '../../../doctor/dialect/finding.ts';
import { dialectWith, storeDialect } from '../../../doctor/dialect/keep-dialect.ts';
import { agrees, type Findings } from '../../../doctor/dialect/learn-dialect.ts';
import { bulkMessages } from '../../../messages/bulk.ts';
import { openSettings } from '../../../settings/read/open-settings.ts';
import { select } from '../../../settings/read/select-target.ts';
import type { Learned } from '../../ledger/header.ts';
import type { Progress } from '../../report/progress.ts';
import type { ImportTarget } from '../../targets/import-target.ts';

/** A whole list of a round number of rows may be one that was cut there. */
const ROUND = 50;

/** What the probes found out about the noun's list. */
export interface Probed {
  readonly findings: Findings;
  /** Undefined if there is nothing new to read the list with. */
  readonly learned: Learned | undefined;
  /** The new names: `limit=pageSize, offset=skip`. */
  readonly words: string;
  /** What keeps the list from being read to its end, if nothing is learned or that does not help. */
  readonly why: string;
}

/** Finds the parameter names of the noun's list, as `proc doctor` does: by GETs and their effects. */
export async function probeList(
  target: ImportTarget,
  ports: Ports<'api' | 'self'>,
  progress: Progress,
): Promise<Probed> {
  const { noun, listing } = target;
  progress.step(`Looking for the parameter names of the list of ${noun}`, { step: 'learn' });
  const sender = await ports.api.sender(1);
  const { clock, signal } = ports.self;
  const dialect = sender.target.dialect(noun);
  const found = await detectDialect(listing!.endpoint, dialect, { sender, clock, signal });
  const findings: Findings = new Map([[noun, found]]);
  const seen = found.filter((one) => one.state === 'seen');
  const isSeen = (word: Finding['word']) => seen.some((one) => one.word === word);
  const fresh = seen.filter((one) => !agrees(dialect, one));
  const takesSort = isSeen('sort') && isSeen('dir');
  const isOfUse = (isSeen('limit') || isSeen('paging')) && (fresh.length > 0 || !takesSort);
  const cut = seen.find(({ rows }) => rows !== undefined && rows % ROUND === 0);
  const unclear = found.find(({ word, state }) => state !== 'seen' && WORDS[word] !== undefined);
  const selection = select(openSettings(ports.self).sources());
  return {
    findings,
    learned:
      isOfUse && cut === undefined
        ? { text: dialectWith(ports, selection, findings), takesSort }
        : undefined,
    words: fresh.map(wordOf).join(', '),
    why:
      cut !== undefined
        ? `the service sends exactly ${cut.rows} rows whatever is asked, which may be all or a limit of its own`
        : unclear === undefined
          ? 'pages do not join: rows come twice, or in another order each time'
          : `${WORDS[unclear.word]}: ${unclear.why}`,
  };
}

const WORDS: Partial<Record<Finding['word'], string>> = {
  limit: 'limit',
  position: 'offset or page',
};

function wordOf(finding: Finding & { readonly state: 'seen' }): string {
  const { word, name, page } = finding;
  if (word !== 'position') return `${word}=${name}`;
  return page === undefined ? `offset=${name}` : `page=${name}, pageBase=${page.base}`;
}

/**
 * Stores what was learned and has proved itself: with `--learn`, or after a yes; otherwise says how.
 *
 * @param isTold `--learn`
 */
export async function keepLearned(
  { findings, words }: Probed,
  isTold: boolean,
  ports: Ports<'io' | 'api' | 'ask' | 'self'>,
): Promise<void> {
  if (words === '' || ports.api.isPreview) return;
  const selection = select(openSettings(ports.self).sources());
  const { profile, environment, known } = selection;
  if (!isTold) {
    const place = `${profile?.value} · ${environment?.value}`;
    if (!ports.io.terminal.interactive || known?.settings === undefined) return;
    const { storeWords } = bulkMessages[await ports.io.lang()];
    if (!(await ports.ask.confirm(storeWords(words, place), true))) return;
  }
  const stored = await storeDialect(ports, selection, findings);
  if (stored.kind === 'no place') {
    ports.io.say({
      kind: 'warning',
      text: `the parameter names were not stored, as ${stored.why}. Set them by variable: PROC_DIALECT='${stored.text}'`,
    });
    return;
  }
  ports.io.say({ kind: 'notice', text: `stored for ${stored.place}: dialect ${stored.text}` });
}
