import { isDeepStrictEqual } from 'node:util';
import { isSuccess } from '../../client/response/judge.ts';
import {
  type Problem,
  type ProblemCode,
  problemIn,
  type StoredProblem,
} from '../../core/problem/row-problem.ts';
import { storedCode } from '../../core/service/code-change.ts';
import type { Choices } from '../store/facts.ts';
import type { Member, OpenRow, RowResponse } from '../store/looked-up-rows.ts';
import type { Run } from '../store/run-file.ts';
import type { Decided, Verdict } from '../store/send-queue.ts';
import type { WantedKey } from './whole-reading.ts';

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

export const PER_COMMIT = 32;
const PER_PARKING = 1_000;

export interface VerdictPorts {
  readonly run: Run;
  readonly keyField: string;
  record(rows: readonly Decided[]): void;
  /** The given ids whose records other imports or commands of this machine created. */
  createdByOthers(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The ids of all records that had the key at the time of the look-up. */
export interface LookUpResult extends WantedKey {
  readonly ids: readonly string[];
  readonly askedAt: number;
  /** Why the look-up does not prove that no record was created with this key. */
  readonly doubt?: Problem | undefined;
}

export type Verdicts = ReturnType<typeof verdictsOf>;

/**
 * Records what look-ups have found about the rows with a key.
 *
 * @param marginMs for this long after a row is marked as sent, it may still be created
 */
export function verdictsOf(ports: VerdictPorts, marginMs: number) {
  const { run, keyField, createdByOthers } = ports;
  const { catalogue, unconfirmed } = run.rows;

  /**
   * Adds to the catalogue the records that other imports or commands of this machine created, so
   * that no row adopts them.
   */
  const noteOthers = async (results: readonly LookUpResult[]): Promise<void> => {
    const others = await createdByOthers(results.flatMap(({ ids }) => ids));
    if (others.size === 0) return;
    const listed = results.flatMap(({ key, value, ids }) => {
      // As the list shows it.
      const stored = key === 'name' ? value : storedCode(run.codeChange, value);
      const keys = { code: null, name: null, [key]: stored };
      return ids.filter((id) => others.has(id)).map((id) => ({ id, ...keys }));
    });
    run.commit(() => catalogue.add(listed));
  };

  const verdictsOn = ({ key, value, ids, askedAt, doubt }: LookUpResult): Decided[] => {
    const members = unconfirmed.members(key, value);
    const until = askedAt - marginMs;
    const isUnderWay = ({ state, sent_at: at }: Member) =>
      state === 'sending' || (state === 'unconfirmed' && Number(at) > until);
    // The record found may belong to a row that is still in flight, so a later round decides.
    if (members.some(isUnderWay)) return [];
    const ours = new Set(members.filter(({ state }) => state === 'created').map(({ id }) => id));
    const fresh = ids.filter((id) => !ours.has(id) && !catalogue.has(id));
    const taken = ids.find((id) => catalogue.has(id));
    const unknown = members.filter(({ state }) => state === 'unconfirmed').length;
    return members.flatMap((member): Decided[] => {
      const { row, state, reason, looked_up: looked } = member;
      if (state === 'unconfirmed') {
        const found = { fresh, taken, doubt, unknown };
        const { onExisting } = run.header.choices;
        return [{ row, was: state, verdict: lookedUp(found, member, onExisting) }];
      }
      if (state !== 'rejected' || looked === 1) return [];
      const own = reason === null ? undefined : problemIn(reason);
      const refused = { state, status: 409, reason: own, lookedUp: true } as const;
      const [id] = ids;
      return [{ row, was: state, verdict: id === undefined ? refused : { state: 'existing', id } }];
    });
  };

  return {
    async decide(results: readonly LookUpResult[]): Promise<void> {
      await noteOthers(results);
      for (let from = 0; from < results.length; from += PER_COMMIT) {
        const some = results.slice(from, from + PER_COMMIT);
        // Synchronous, so that no row changes before its verdict is recorded.
        ports.record(some.flatMap(verdictsOn));
      }
    },

    /** In batches, because all rows of a run may be unconfirmed. */
    park(rows: readonly Pick<OpenRow, 'row' | 'state'>[], why: Problem): void {
      for (let from = 0; from < rows.length; from += PER_PARKING) {
        const some = rows.slice(from, from + PER_PARKING);
        ports.record(
          some.map(({ row, state }) => ({
            row,
            was: state,
            verdict: parked(state, run.rows.at(row)!, why, keyField),
          })),
        );
      }
    },
  };
}
