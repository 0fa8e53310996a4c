import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { someOf } from '../../core/text/listed.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { expectedCode, expectedOf, noteContradiction } from '../../rehearsal/expected.ts';
import { type RehearsedFacts, rehearsedText, storedText } from '../../rehearsal/rehearsed-text.ts';
import type { Stop } from '../open-run.ts';
import { rowsIn } from '../report/words.ts';
import type { Clash, Clashes } from '../store/planned-rows.ts';
import type { Run } from '../store/run-file.ts';
import type { ImportTarget } from '../targets/import-target.ts';

const NAMED = 3;

/** Notes what a rehearsal lets this run expect. Call it before the list is read. */
export async function noteRehearsal(
  run: Run,
  { noun }: ImportTarget,
  ports: Ports<'api' | 'self'>,
): Promise<void> {
  const rehearsed = await expectedOf(noun, ports);
  if (rehearsed !== undefined) run.note({ rehearsed });
  else if (run.get('rehearsed') !== undefined) run.forget('rehearsed');
}

/** The codes that an import would create: of its rows, or of the items that its lines define. */
interface NewCodes {
  longerThan(
    length: number,
    max: number,
  ): { readonly count: number; readonly codes: readonly string[] };
  clashes(stored: (code: string) => string, max: number): Clashes;
}

/**
 * Codes that differ now, but not as the service stores them, and codes that it cuts off.
 *
 * @returns why the plan is refused; undefined if it is not
 */
export function rehearsedRefusal(
  { expected }: Run,
  keyField: string,
  planned: NewCodes,
  typed: readonly string[],
): ProcError | undefined {
  if (expected?.codes?.isKnown !== true) return undefined;
  const { environment, codes } = expected;
  const { cutTo } = codes;
  const longer = cutTo === undefined ? undefined : planned.longerThan(cutTo, NAMED);
  if (longer !== undefined && longer.count > 0) {
    return new ProcError(
      'invalid_input',
      `${rowsIn(longer.count, `${keyField} is`, `${keyField}s are`)} longer than the ${cutTo} characters that the service keeps, as rehearsed on ${environment}: ${someOf(longer.codes, longer.count)}; nothing was sent`,
      {
        hint: `Shorten ${longer.count === 1 ? 'it' : 'them'}. To send the rows anyway, run: ${typedAgain(typed, ['--allow', 'look-alikes'])}`,
        details: { tooLong: longer.count, samples: longer.codes },
      },
    );
  }
  if (codes.change === undefined) return undefined;
  const { count, samples } = planned.clashes((code) => expectedCode(expected, code), NAMED);
  if (count === 0) return undefined;
  const again = typedAgain(typed, ['--allow', 'look-alikes']);
  return new ProcError(
    'invalid_input',
    `${rowsIn(count, `${keyField} becomes`, `${keyField}s become`)} equal to another, because ${storedText(codes)}, as rehearsed on ${environment}: ${someOf(
      samples.map((clash) => clashText(clash)),
      count,
      '; ',
    )}; nothing was sent`,
    {
      hint: `Correct the ${keyField}s, or leave the rows out. If they are other records, run: ${again}`,
      details: { lookAlikes: count, samples },
    },
  );
}

function clashText({ row, code, other, otherRow, stored }: Clash): string {
  const where = otherRow === null ? 'existing' : `row ${otherRow}`;
  return `${code} (row ${row}) and ${other} (${where}) are both ${stored}`;
}

/**
 * Notes that an answer contradicts the rehearsal. The run stops, and its resume does not rely on the rehearsal.
 *
 * @returns why it stops
 */
export function refuted(run: Run, why: string): Stop {
  run.set('rehearsalRefuted', why);
  return { kind: 'refused', why: `${why}. A resume does not rely on the rehearsal` };
}

/** Tells the environment, so that its next writes do not rely on the rehearsal either. */
export async function keepRefuted(run: Run, ports: Ports<'api' | 'self'>): Promise<void> {
  const [rehearsed, why] = [run.get('rehearsed'), run.get('rehearsalRefuted')];
  if (rehearsed !== undefined && why !== undefined) await noteContradiction(rehearsed, why, ports);
}

export function rehearsedRecord(facts: RehearsedFacts | undefined, now: number) {
  if (facts === undefined) return {};
  const { environment, at, codes, second, lagMs } = facts;
  return {
    rehearsed: {
      environment,
      at,
      says: rehearsedText(facts, now),
      ...(codes === undefined
        ? {}
        : { codesChange: codes.change ?? null, codesKnown: codes.isKnown }),
      second,
      ...(lagMs === undefined ? {} : { lagMs }),
    },
  };
}
