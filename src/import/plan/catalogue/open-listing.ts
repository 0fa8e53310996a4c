import { dialectFor, parseDialect } from '../../../client/dialect.ts';
import { readSources, resolve } from '../../../config/resolve-target.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Sender } from '../../../core/service/sender.ts';
import type { Target } from '../../../core/service-target.ts';
import { detectDialect, type Finding } from '../../../doctor/dialect/detect.ts';
import {
  dialectWith,
  type Findings,
  isNew,
  keepNames,
  pairsOf,
} from '../../../doctor/dialect/learn.ts';
import { Listing } from '../../../listing/listing.ts';
import { patientReader } from '../../../listing/patient-reader.ts';
import { importPatience } from '../../patient-reads.ts';
import type { Progress } from '../../report/progress.ts';
import type { Learned } from '../../store/facts.ts';
import type { ImportTarget } from '../../targets/import-target.ts';

export interface LearnedNames {
  get(fact: 'learned'): Learned | undefined;
  note(facts: { readonly learned: Learned }): void;
  forget(fact: 'learned'): void;
}

type Names = Pick<LearnedNames, 'get'>;

/** A sender that uses the dialect that the run detected, or else the configured dialect. */
export async function senderFor(
  { noun }: Pick<ImportTarget, 'noun'>,
  names: Names,
  ports: Ports<'api'>,
  connections: number,
): Promise<Sender> {
  const learned = names.get('learned');
  if (learned === undefined) return ports.api.sender(connections);
  const target = await ports.api.target();
  const settings = parseDialect(learned.text, 'the detected dialect');
  const dialect: Target['dialect'] = (one) =>
    one === noun ? dialectFor(settings, noun) : target.dialect(one);
  return ports.api.sender(connections, dialect);
}

/** The noun's list for this run. Retries failed reads for at most `patienceMs`. */
export async function listingFor(
  target: ImportTarget,
  names: Names,
  ports: Ports<'io' | 'api' | 'self'>,
  { connections = 1, patienceMs }: { connections?: number; patienceMs?: number } = {},
): Promise<Listing> {
  const sender = await senderFor(target, names, ports, connections);
  return new Listing(target, {
    target: sender.target,
    read: patientReader(sender, importPatience(ports, patienceMs)),
    takesSort: names.get('learned')?.takesSort,
  });
}

/**
 * A list with e.g. 100 rows may be cut off at a limit of the service: any multiple of 50 is
 * suspect.
 */
const ROUND = 50;

interface ProbeResult {
  readonly findings: Findings;
  /** Undefined if there is no better way to read the list. */
  readonly learned: Learned | undefined;
  /** The names to set, e.g. `limit=pageSize, offset=skip`; empty if all names are set already. */
  readonly words: string;
  /** The likely reason, if the end of the list cannot be verified even with the learned names. */
  readonly why: string;
}

/** Detects the list's parameter names by the effects of GET requests, as `proc doctor` does. */
export async function probeList(
  target: ImportTarget,
  ports: Ports<'io' | 'api' | 'self'>,
  progress: Progress,
): Promise<ProbeResult> {
  const { noun, listing } = target;
  progress.step(`Detecting the parameter names of the list of ${noun}`, { step: 'learn' });
  const sender = await ports.api.sender(1);
  const { clock, signal } = ports.self;
  const dialect = sender.target.dialect(noun);
  const found = await detectDialect(listing!.endpoint, { sender, clock, signal });
  const findings: Findings = new Map([[noun, found]]);
  const seen = found.filter((one) => one.state === 'seen');
  const isSeen = (word: Finding['word']) => seen.some((one) => one.word === word);
  const fresh = seen.filter((one) => isNew(one, dialect));
  const takesSort = isSeen('sort') && isSeen('dir');
  const isOfUse = (isSeen('limit') || isSeen('paging')) && (fresh.length > 0 || !takesSort);
  const cut = seen.find(({ rows }) => rows !== undefined && rows % ROUND === 0);
  const unclear = found.find(({ word, state }) => state !== 'seen' && WORDS[word] !== undefined);
  const selection = resolve(readSources(ports.self));
  return {
    findings,
    learned:
      isOfUse && cut === undefined
        ? { text: dialectWith(ports, selection, findings), takesSort }
        : undefined,
    words: fresh
      .flatMap((one) => Object.entries(pairsOf(one)))
      .map(([key, value]) => `${key}=${value}`)
      .join(', '),
    why:
      cut !== undefined
        ? `the service always returns exactly ${cut.rows} rows: this may be the whole list, or the largest page that it returns`
        : unclear === undefined
          ? 'the pages are inconsistent: rows repeat, or their order changes'
          : `${WORDS[unclear.word]}: ${unclear.why}`,
  };
}

const WORDS: Partial<Record<Finding['word'], string>> = {
  limit: 'limit',
  position: 'offset or page',
};

interface NamedReading {
  readonly target: ImportTarget;
  /** Where the detected names are kept. */
  readonly names: LearnedNames;
  readonly progress: Progress;
  readonly ports: Ports<'io' | 'api' | 'self'>;
  /** Reads the list with these names. Returns whether its end was verified. */
  read(): Promise<boolean>;
}

/**
 * Reads a list with the names of this run. If its end cannot be verified, reads it again with the configured names,
 * then with names that it detects.
 *
 * @returns `why`: the likely reason, if the end cannot be verified
 */
export async function readWithNames({
  target,
  names,
  progress,
  ports,
  read,
}: NamedReading): Promise<{ readonly isRead: boolean; readonly why?: string }> {
  if (await read()) return { isRead: true };
  // An earlier process of this run may have detected wrong parameter names.
  if (names.get('learned') !== undefined) {
    names.forget('learned');
    if (await read()) return { isRead: true };
  }
  const { findings, learned, words, why } = await probeList(target, ports, progress);
  if (learned === undefined) return { isRead: false, why };
  if (words !== '') {
    const text = `detected the parameter names of the list of ${target.many}: ${words}. Using them for this run`;
    ports.io.say({ kind: 'notice', text });
  }
  names.note({ learned });
  if (!(await read())) return { isRead: false, why };
  if (words !== '' && !ports.api.isPreview) await keepNames(findings, ports);
  return { isRead: true };
}
