import { isSuccess } from '../../client/answer/judge.ts';
import type { Verdict } from '../ledger/rows/send-queue.ts';
import type { Answered, Member, OpenRow } from '../ledger/rows/unconfirmed-rows.ts';
import { rowsIn } from '../report/words.ts';

/** A row that was sent this often and never arrived is not sent again. */
const MOST_TRIES = 5;

/** What is said of an answer that cannot be proved to be the row's own. */
export const UNPROVED = 'the answer may belong to another row';
export const UNPROVED_TAIL = `; ${UNPROVED}`;

export function unproved(what: string): string {
  return what + UNPROVED_TAIL;
}

/** How the reason begins where a success carries another code than the row's. */
export const GAVE = 'the service gave';

/** Between what was answered when the row was sent, and why no look-up can tell what became of it. */
const LOOK_UP = '; no look-up can tell: ';

/** What was answered when the row was sent, without what look-ups said of it since. */
function ownReason(reason: string | null): string | undefined {
  return reason?.split(LOOK_UP)[0];
}

/** Stays in doubt, with its own reason: a person who looks for it has to know both. */
function givenUp({ status, reason }: Answered, why: string): Verdict {
  const own = ownReason(reason);
  return {
    state: 'unconfirmed',
    status: status ?? undefined,
    reason: own === undefined || own === why ? why : `${own}${LOOK_UP}${why}`,
    lookedUp: true,
  };
}

/** Of a row that no look-up can tell anything about. */
export function parked(
  state: OpenRow['state'],
  answered: Answered,
  why: string,
  keyField: string,
): Verdict {
  if (state === 'unconfirmed') return givenUp(answered, why);
  const reason = `its ${keyField} is taken (409), but ${why}`;
  return { state, status: 409, reason, lookedUp: true };
}

/**
 * Of a row in doubt whose key was looked up. Found and new: ours. Absent: to be sent again. Otherwise
 * nobody can tell.
 *
 * @param fresh ids that carry the key, and did not before
 * @param unknown rows in doubt that have the key
 */
export function lookedUp(fresh: readonly string[], unknown: number, member: Member): Verdict {
  if (fresh.length === 1 && unknown === 1) return { state: 'created', id: fresh[0] };
  if (fresh.length > 0) {
    const carry = rowsIn(fresh.length, 'new row carries', 'new rows carry');
    const why = `${carry} its key, for ${unknown} in doubt: ${fresh.slice(0, 5).join(', ')}`;
    return givenUp(member, why);
  }
  const { status, tries } = member;
  const reason = ownReason(member.reason) ?? 'no answer';
  if (isSuccess(status ?? undefined) && reason.startsWith(GAVE)) {
    return givenUp(member, 'nothing carries its key');
  }
  // A refusal that may be another row's is none, however often it comes: it is sent until one is its own.
  if (tries >= MOST_TRIES && !isRefusal(status) && !isTurnedAway(status)) {
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

function isTurnedAway(status: number | null): boolean {
  return status === 429 || status === 503;
}
