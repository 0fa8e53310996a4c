import { isDeepStrictEqual } from 'node:util';
import { isSuccess } from '../../client/response/judge.ts';
import {
  type Problem,
  type ProblemCode,
  problemIn,
  type StoredProblem,
} from '../../core/problem/row-problem.ts';
import type { Choices } from '../ledger/header.ts';
import type { Verdict } from '../ledger/rows/send-queue.ts';
import type { Member, OpenRow, RowResponse } from '../ledger/rows/unconfirmed-rows.ts';

/** After this many attempts without a record or a refusal, the row is rejected. */
const MAX_TRIES = 5;

const ACCEPTED = 202;

/** The most ids in a reason. */
const NAMED = 5;

/** The answer was that of another row, or has the code of none. */
const STRANGE: ReadonlySet<ProblemCode> = new Set(['other_code', 'other_response']);

/** How the service responded to the row, without the results of later look-ups. */
function ownReason(stored: StoredProblem | null): Problem | undefined {
  if (stored === null) return undefined;
  const problem = problemIn(stored);
  return problem.code === 'not_looked_up' ? problem.args.said : problem;
}

/** The reason keeps how the service responded, for a person who checks the row. */
function inconclusive({ status, reason }: RowResponse, because: Problem): Verdict {
  const said = ownReason(reason);
  const isSame = said === undefined || isDeepStrictEqual(said, because);
  return {
    state: 'unconfirmed',
    status: status ?? undefined,
    reason: isSame ? because : { code: 'not_looked_up', args: { said, because } },
    lookedUp: true,
  };
}

export function parked(
  state: OpenRow['state'],
  response: RowResponse,
  because: Problem,
  key: string,
): Verdict {
  if (state === 'unconfirmed') return inconclusive(response, because);
  const reason = { code: 'key_taken', args: { key, because } } as const;
  return { state, status: 409, reason, lookedUp: true };
}

/** The records with the key of an unconfirmed row. */
interface Found {
  /** Ids of new records: they are not in the catalogue, and no created row has them. */
  readonly fresh: readonly string[];
  /** Id of a record that is in the catalogue. */
  readonly taken: string | undefined;
  /** Number of unconfirmed rows with the key. */
  readonly unknown: number;
  /** Why there may be a record that the look-up did not find. */
  readonly doubt: Problem | undefined;
}

/**
 * The verdict on an unconfirmed row whose key was looked up:
 *
 * - One fresh record has the key, and no other unconfirmed row has it: the row created the record.
 * - Provably no fresh record has the key, and the service returned neither another code nor 202: the row is
 *   sent again, or rejected after `MAX_TRIES` attempts. If the key is taken, `--on-existing` decides.
 * - In any other case the row is parked.
 */
export function lookedUp(
  { fresh, taken, unknown, doubt }: Found,
  member: Member,
  onExisting: Choices['onExisting'],
): Verdict {
  if (fresh.length === 1 && unknown === 1) return { state: 'created', id: fresh[0] };
  if (fresh.length > 0) {
    const args = { count: fresh.length, ids: fresh.slice(0, NAMED), sharing: unknown };
    return inconclusive(member, { code: 'records_with_key', args });
  }
  if (doubt !== undefined) return inconclusive(member, doubt);
  const { status, tries } = member;
  const said = ownReason(member.reason) ?? ({ code: 'no_response', args: {} } as const);
  if (isSuccess(status ?? undefined) && STRANGE.has(said.code)) {
    return inconclusive(member, { code: 'no_record', args: { mayHaveOtherKey: true } });
  }
  // The service has accepted the row, and may create it at any later time.
  if (status === ACCEPTED) {
    return inconclusive(member, { code: 'no_record', args: { isAccepted: true } });
  }
  if (taken !== undefined && onExisting === 'skip') return { state: 'existing', id: taken };
  if (taken !== undefined && onExisting === 'fail') {
    return inconclusive(member, { code: 'key_of_others', args: { id: taken } });
  }
  // Its refusals may belong to other rows. But no row gets only those of others, time after time.
  if (tries >= MAX_TRIES && !isThrottled(status)) {
    return { state: 'rejected', reason: { code: 'never_created', args: { tries, said } } };
  }
  return { state: 'pending' };
}

function isThrottled(status: number | null): boolean {
  return status === 429 || status === 503;
}
