import { isSuccess } from '../../client/answer/judge.ts';
import type { Verdict } from '../ledger/rows/send-queue.ts';
import type { Answered, Member, OpenRow } from '../ledger/rows/unconfirmed-rows.ts';
import { rowsIn } from '../report/words.ts';

/** A row that was sent this often and never created is not sent again. */
const MAX_TRIES = 5;

/** The reason of a row whose answer is not proved to be its own. */
export const UNPROVED = 'the response may belong to another row';
export const UNPROVED_TAIL = `; ${UNPROVED}`;

export function unproved(what: string): string {
  return what + UNPROVED_TAIL;
}

/**
 * How the reason of a row begins if the service answered with success, but with a code or id that is not the
 * row's. Earlier versions wrote `gave`.
 */
const STRANGE = /^the service (returned|gave) /;
export const RETURNED = 'the service returned';

/** Separates the answer that the row got from the reason why a look-up cannot find its outcome. */
const LOOK_UP = '; a look-up cannot tell: ';

/** The answer that the row got when it was sent, without the results of later look-ups. */
function ownReason(reason: string | null): string | undefined {
  return reason?.split(LOOK_UP)[0];
}

/**
 * The row stays unconfirmed. Its reason still contains the answer that the row got, because a person who
 * checks the row needs both.
 */
function inconclusive({ status, reason }: Answered, why: string): Verdict {
  const own = ownReason(reason);
  return {
    state: 'unconfirmed',
    status: status ?? undefined,
    reason: own === undefined || own === why ? why : `${own}${LOOK_UP}${why}`,
    lookedUp: true,
  };
}

/** The verdict on a row whose outcome no look-up can find. */
export function parked(
  state: OpenRow['state'],
  answered: Answered,
  why: string,
  keyField: string,
): Verdict {
  if (state === 'unconfirmed') return inconclusive(answered, why);
  const reason = `its ${keyField} is taken (409), but ${why}`;
  return { state, status: 409, reason, lookedUp: true };
}

/**
 * The verdict on an unconfirmed row whose key was looked up. If exactly one new record has the key, the
 * row created it. If none has it, the row is sent again. Anything else proves nothing.
 *
 * @param fresh ids of records with the key that did not exist before the run
 * @param unknown number of unconfirmed rows with the key
 */
export function lookedUp(fresh: readonly string[], unknown: number, member: Member): Verdict {
  if (fresh.length === 1 && unknown === 1) return { state: 'created', id: fresh[0] };
  if (fresh.length > 0) {
    const have = rowsIn(fresh.length, 'new record has', 'new records have');
    const others = unknown === 1 ? '' : `, and ${unknown} unconfirmed rows share it`;
    const why = `${have} its key (${fresh.slice(0, 5).join(', ')})${others}`;
    return inconclusive(member, why);
  }
  const { status, tries } = member;
  const reason = ownReason(member.reason) ?? 'no response';
  if (isSuccess(status ?? undefined) && STRANGE.test(reason)) {
    return inconclusive(member, 'no record has its key');
  }
  // A refusal that may belong to another row does not reject this row, however often it is sent: it is sent again
  // until the service accepts it, or refuses it with proof.
  if (tries >= MAX_TRIES && !isRefusal(status) && !isThrottled(status)) {
    return {
      state: 'rejected',
      reason: `sent ${tries} times and never created: ${reason}`,
    };
  }
  return { state: 'pending' };
}

function isRefusal(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429;
}

function isThrottled(status: number | null): boolean {
  return status === 429 || status === 503;
}
