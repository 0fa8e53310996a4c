import { rowsIn } from '../report/words.ts';
import type { Answered, Doubt, Member } from './doubts.ts';
import type { Verdict } from './verdict.ts';

/** A row that was sent this often and never arrived is not sent again. */
const MOST_TRIES = 5;

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
    state: 'unknown',
    status: status ?? undefined,
    reason: own === undefined || own === why ? why : `${own}${LOOK_UP}${why}`,
    lookedUp: true,
  };
}

/** Of a row that no look-up can tell anything about. */
export function parked(
  state: Doubt['state'],
  answered: Answered,
  why: string,
  keyField: string,
): Verdict {
  if (state === 'unknown') return givenUp(answered, why);
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
  if (member.tries >= MOST_TRIES) {
    const reason = ownReason(member.reason) ?? 'no answer';
    return {
      state: 'rejected',
      reason: `sent ${member.tries} times and never created: ${reason}`,
    };
  }
  return { state: 'pending' };
}
