import type { Journal } from '../../ledger/journal.ts';
import type { ListedRow } from '../../ledger/rows/reported-rows.ts';
import type { Unconfirmed } from '../../ledger/rows/unconfirmed-rows.ts';
import type { Decision } from './decision.ts';
import {
  type DecisionFile,
  type FiledDecision,
  type FileMistake,
  mistakesIn,
  textOf,
} from './decision-file.ts';
import type { Decided } from './record-decision.ts';

export interface FiledRow extends Decided {
  readonly place: string;
}

export interface FilePlan {
  readonly counts: Readonly<Record<Decision['kind'] | 'unchanged', number>>;
  readonly decided: readonly FiledRow[];
  /** Decisions that were recorded before. */
  readonly unchanged: readonly {
    readonly row: number;
    readonly code: string | null;
    readonly outcome: Decision['kind'];
    readonly id: string | null;
  }[];
}

/**
 * @throws ProcError `invalid_input`, with every row that the run does not have, that is not
 *   unconfirmed, or that was sent again since
 */
export function planFile({ name, hash, decisions }: DecisionFile, journal: Journal): FilePlan {
  const { run } = journal.header;
  const open = new Map(journal.unconfirmed.all().map((row) => [row.row, row]));
  const isRecorded = journal.get('resolvedFrom')?.includes(hash) === true;
  const counts = { adopt: 0, resend: 0, drop: 0, unchanged: 0 };
  const decided: FiledRow[] = [];
  const unchanged: FilePlan['unchanged'][number][] = [];
  const mistakes: FileMistake[] = [];
  for (const filed of decisions) {
    const { row, place, decision } = filed;
    const now = journal.reported.outcomeOf(row);
    const wrong = (message: string) => mistakes.push({ place, field: 'row', message });
    if (now === undefined) {
      wrong(`is ${row}, which ${run} does not have`);
      continue;
    }
    if (decision === undefined) continue;
    const one = open.get(row);
    if (isRecorded || isAlready(decision, now)) {
      const id = decision.kind === 'adopt' ? decision.id : null;
      unchanged.push({ row, code: now.code, outcome: decision.kind, id });
      counts.unchanged++;
    } else if (one === undefined) {
      wrong(`is ${row}, which is ${now.state}, not unconfirmed`);
    } else if (isOlder(filed, one)) {
      wrong(
        `is ${row}, which was sent at ${timeOf(one.sent_at)}, but the file says ${textOf(filed.sentAt)}: the file is older, or belongs to another run`,
      );
    } else {
      decided.push({ row: one, decision, place });
      counts[decision.kind]++;
    }
  }
  if (mistakes.length > 0) throw mistakesIn(name, mistakes);
  return { counts, decided, unchanged };
}

function isAlready(decision: Decision, { state, id }: Pick<ListedRow, 'state' | 'id'>): boolean {
  if (decision.kind === 'adopt') {
    return (state === 'created' || state === 'existing') && id === decision.id;
  }
  return state === (decision.kind === 'drop' ? 'dropped' : 'pending');
}

/** Whether the row was sent at another time than the file says, e.g. sent again since. */
function isOlder({ sentAt }: FiledDecision, { sent_at: now }: Unconfirmed): boolean {
  const text = textOf(sentAt);
  return now !== null && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && text !== timeOf(now);
}

function timeOf(ms: number | null): string {
  return ms === null ? 'an unknown time' : new Date(ms).toISOString();
}
