import { isSuccess } from '../../client/response/judge.ts';
import type { Choices } from '../ledger/header.ts';
import type { Verdict } from '../ledger/rows/send-queue.ts';
import type { Member, OpenRow, RowResponse } from '../ledger/rows/unconfirmed-rows.ts';
import { rowsIn } from '../report/words.ts';

/** After this many attempts without a record or a refusal, the row is rejected. */
const MAX_TRIES = 5;

const ACCEPTED = 202;

export const UNPROVED = 'the response may belong to another row';

export function unproved(what: string): string {
  return `${what}; ${UNPROVED}`;
}

/** E.g. `the service returned the code AR-9`, for a row with the code `AR-7`. */
const STRANGE = /^the service returned the (code|response) /;
export const RETURNED = 'the service returned';

/**
 * Separates the two parts of a reason: how the service responded to the row, and why a look-up
 * cannot find the outcome.
 */
const LOOK_UP = '; a look-up cannot tell: ';

/** How the service responded to the row, without the results of later look-ups. */
function ownReason(reason: string | null): string | undefined {
  return reason?.split(LOOK_UP)[0];
}

/** The reason keeps how the service responded, for a person who checks the row. */
function inconclusive({ status, reason }: RowResponse, why: string): Verdict {
  const own = ownReason(reason);
  return {
    state: 'unconfirmed',
    status: status ?? undefined,
    reason: own === undefined || own === why ? why : `${own}${LOOK_UP}${why}`,
    lookedUp: true,
  };
}

export function parked(
  state: OpenRow['state'],
  response: RowResponse,
  why: string,
  keyField: string,
): Verdict {
  if (state === 'unconfirmed') return inconclusive(response, why);
  const reason = `its ${keyField} is taken (409), but ${why}`;
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
  readonly doubt: string | undefined;
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
    const have = rowsIn(fresh.length, 'new record has', 'new records have');
    const others = unknown === 1 ? '' : `, and ${unknown} unconfirmed rows share it`;
    const why = `${have} its key (${fresh.slice(0, 5).join(', ')})${others}`;
    return inconclusive(member, why);
  }
  if (doubt !== undefined) return inconclusive(member, doubt);
  const { status, tries } = member;
  const reason = ownReason(member.reason) ?? 'no response';
  if (isSuccess(status ?? undefined) && STRANGE.test(reason)) {
    return inconclusive(
      member,
      'no record has its key, but the service may have created it under another key',
    );
  }
  // The service has accepted the row, and may create it at any later time.
  if (status === ACCEPTED) {
    return inconclusive(member, 'no record has its key, but the service accepted it (202)');
  }
  if (taken !== undefined && onExisting === 'skip') return { state: 'existing', id: taken };
  if (taken !== undefined && onExisting === 'fail') {
    return inconclusive(member, `${taken}, which others created, has its key`);
  }
  // Its refusals may belong to other rows. But no row gets only those of others, time after time.
  if (tries >= MAX_TRIES && !isThrottled(status)) {
    return {
      state: 'rejected',
      reason: `sent ${tries} times and never created: ${reason}`,
    };
  }
  return { state: 'pending' };
}

function isThrottled(status: number | null): boolean {
  return status === 429 || status === 503;
}
