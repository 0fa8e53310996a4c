import type { SealedPlan } from '../ledger/facts.ts';
import type { RunHeader } from '../ledger/header.ts';

const TITLE = 'proc import approval, version 1';

/** The lines of a statement, in order, and what an error calls them. */
const LINES = {
  run: 'run',
  digest: 'digest',
  service: 'service',
  organization: 'organization',
  place: 'profile and environment',
  import: 'noun',
  source: 'source',
  rows: 'rows',
} as const;

type Subject = Readonly<Record<keyof typeof LINES, string>>;

/** In ms. */
interface Validity {
  readonly approved: number;
  readonly expires: number;
}

/**
 * What an approval of a run must be about.
 *
 * @param counts number of rows by state, as they were staged
 */
export function subjectOf(
  header: RunHeader,
  { digest }: SealedPlan,
  counts: ReadonlyMap<string, number>,
): Subject {
  const { run, noun, baseUrl, organization, profile, environment, source } = header;
  const count = (state: string) => counts.get(state) ?? 0;
  return {
    run,
    digest: `sha256:${digest}`,
    service: baseUrl,
    organization: organization ?? '-',
    place: `${profile ?? '-'} ${environment ?? '-'}`,
    import: noun,
    // The name is quoted because it may contain line feeds.
    source: `${JSON.stringify(source.name)} sha256:${source.hash}`,
    rows: `${count('pending')} to create, ${count('existing')} existing, ${count('duplicate')} duplicate, ${count('rejected')} rejected`,
  };
}

/** The text that an approver signs. It ends with a line feed. */
export function statementOf(subject: Subject, { approved, expires }: Validity): string {
  const times = { approved: isoOf(approved), expires: isoOf(expires) };
  const lines = Object.entries({ ...subject, ...times }).map(([key, value]) => `${key}: ${value}`);
  return [TITLE, ...lines, ''].join('\n');
}

export function validityOf(statement: string): Validity | undefined {
  const approved = timeIn(statement, 'approved');
  const expires = timeIn(statement, 'expires');
  if (approved === undefined || expires === undefined) return undefined;
  return { approved, expires };
}

/**
 * @returns the first difference, e.g. `approves another run: …`; undefined if there is none
 */
export function differenceOf(statement: string, subject: Subject): string | undefined {
  const validity = validityOf(statement);
  if (!statement.startsWith(`${TITLE}\n`) || validity === undefined) {
    return 'signs a text that this version of proc does not know';
  }
  for (const [key, word] of Object.entries(LINES)) {
    const said = lineIn(statement, key);
    const expected = subject[key as keyof Subject];
    if (said !== expected) return `approves another ${word}: ${said ?? 'none'}, not ${expected}`;
  }
  return statement === statementOf(subject, validity) ? undefined : 'signs a text that was changed';
}

function lineIn(statement: string, key: string): string | undefined {
  const line = statement.split('\n').find((one) => one.startsWith(`${key}: `));
  return line?.slice(key.length + 2);
}

function timeIn(statement: string, key: string): number | undefined {
  const time = Date.parse(lineIn(statement, key) ?? '');
  return Number.isNaN(time) ? undefined : time;
}

function isoOf(time: number): string {
  return new Date(time).toISOString();
}
