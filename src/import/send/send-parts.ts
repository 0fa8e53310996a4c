import type { Clock } from '../../core/ports.ts';
import {
  type CodeChange,
  CodeChanges,
  type SeenChange,
  storedCode,
} from '../../core/service/code-change.ts';
import type { Sender } from '../../core/service/sender.ts';
import type { Said } from '../../core/text/phrase.ts';
import { type Listed, Listing } from '../../listing/listing.ts';
import { patientReader } from '../../listing/patient-reader.ts';
import { Search } from '../../listing/search.ts';
import { importStops } from '../../messages/errors/import-errors.ts';
import { contradictionBy, lagContradiction, SecondCreates } from '../../rehearsal/expected.ts';
import { howText } from '../../rehearsal/rehearsed-text.ts';
import { locator } from '../map/locate.ts';
import { rejectedLimit } from '../plan/import-plan.ts';
import { refuted } from '../plan/rehearsed.ts';
import { Reconciler } from '../reconcile/reconciler.ts';
import type { runClock } from '../run-clock.ts';
import type { Run } from '../store/run-file.ts';
import type { Bodies, SendQueue, Verdict } from '../store/send-queue.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { Gate } from './gate.ts';
import { Pace, RateLimit } from './pace.ts';
import { ResponseMatcher } from './response-matcher.ts';
import { Sending } from './sending.ts';
import { countedQuestion, countedReads, Wire } from './wire.ts';

/** Not stored in the run: each resume gets its own values. */
export interface SendOptions {
  /** Undefined if proc adapts the number. */
  readonly concurrency: number | undefined;
  /** Maximum requests per second. */
  readonly rate: number | undefined;
  readonly patienceMs: number;
  readonly settleMs: number;
}

export interface SendPorts {
  readonly journal: Run;
  readonly target: ImportTarget;
  readonly sender: Sender;
  /** Of a staged run. */
  readonly bodies: Bodies | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly options: SendOptions;
  /**
   * Detects the names of the list parameters, and returns a sender that uses them. Undefined if it
   * detects nothing new.
   */
  relearn(): Promise<Sender | undefined>;
  createdByOthers(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Called if the service stored other values than were sent, as `altered` says. */
  onAltered(row: number, altered: string): void;
}

export interface SendParts {
  readonly queue: SendQueue;
  readonly gate: Gate;
  readonly pace: Pace;
  readonly sending: Sending;
  readonly reconciler: Reconciler;
}

/** @returns false if the change is known already */
function noteChange(
  journal: Run,
  change: CodeChange | undefined,
  sent: string,
  stored: string,
): boolean {
  const known = journal.get('codesChanged');
  if (change === undefined || (known?.name === change.name && known.prefix === change.prefix)) {
    return false;
  }
  journal.set('codesChanged', { ...change, sent, stored });
  return true;
}

function metText({ sent, stored, ...change }: SeenChange, id: string): Said {
  return importStops.met(howText(change), sent, stored, id);
}

/**
 * If the list was searched for codes, it must be searched for the codes as the service stores them too.
 *
 * @param isNew the change was seen just now
 * @returns why the run stops: a record has the code that showed the change, or a search proves nothing
 * @throws ProcError if the list cannot be read
 */
async function searchStored(
  journal: Run,
  change: SeenChange,
  search: Search,
  isNew: boolean,
): Promise<Said | undefined> {
  const { planned, unconfirmed } = journal.rows;
  if (isNew) {
    const own = new Set(unconfirmed.members('code', change.sent).map(({ id }) => id));
    const first = await search.find(change.stored);
    const met = first.kind === 'unproved' ? undefined : first.ids.find((id) => !own.has(id));
    if (met !== undefined) return metText(change, met);
  }
  for (const code of planned.codesIn('pending')) {
    const found = await search.find(storedCode(change, code));
    if (found.kind === 'unproved') {
      return importStops.notSearchable(howText(change), storedCode(change, code));
    }
    const isPending = ({ id, code: listed }: Listed) =>
      planned.pendingLike('code', listed!, id!).length > 0;
    journal.commit(() => journal.rows.catalogue.add(found.rows.filter(isPending)));
  }
  return undefined;
}

/** Whether it tells what the service does with a record that it has: a conflict does, other refusals do not. */
function isTold({ state, status }: Verdict): boolean {
  return state === 'created' || (state === 'rejected' && status === 409);
}

/**
 * `sending` passes each response to its `Proofs`, which ask the matcher and the wire. The
 * reconciler looks up the rows that remain unproved.
 *
 * @param reads aborts look-ups
 */
export function partsOf(
  { journal, target, sender, bodies, options, relearn, createdByOthers, onAltered }: SendPorts,
  clock: ReturnType<typeof runClock>,
  reads: AbortSignal,
): SendParts {
  const { choices, source } = journal.header;
  const locate = locator(journal.header, source.format, target);
  const gate = new Gate(clock, options.patienceMs);
  const pace = new Pace(options.concurrency, new RateLimit(options.rate, clock.now()));
  const queue = journal.sendQueue(target.listing !== undefined, bodies);
  const { response } = target.create;
  const idField = response.kind === 'record' ? (response.created ?? 'id') : 'id';
  const { expected } = journal;
  const changes = new CodeChanges(journal.get('codesChanged'), expected?.codes?.change);
  let isNewChange = false;
  const matcher = new ResponseMatcher({
    hasRow: (code) => queue.hasRow(code),
    keyField: target.keyField,
    changes,
    onChanged: (sent, stored) => {
      const isNew = noteChange(journal, changes.change, sent, stored);
      isNewChange ||= isNew;
      const [id] = journal.rows.catalogue.idsOf('code', stored);
      const met = id === undefined ? undefined : metText({ ...changes.change!, sent, stored }, id);
      if (isNew || met !== undefined) sending.compareChanged(met);
    },
    onOwn: (sent, answer) => {
      if (expected === undefined || journal.expected === undefined) return;
      const why = contradictionBy(answer, expected, sent, { keyField: target.keyField, idField });
      if (why !== undefined) sending.stop(refuted(journal, why));
    },
    onBroken: () => {
      if (journal.get('codesAltered') !== true) journal.set('codesAltered', true);
    },
  });
  const list = target.listing?.endpoint;
  const wire = new Wire();
  // Elsewhere, no two rows that leave are the same.
  const seconds =
    expected === undefined || expected.second === 'unknown' || choices.onDuplicate !== 'all'
      ? undefined
      : new SecondCreates(expected);
  const sending = new Sending({
    queue,
    gate,
    pace,
    clock,
    mostRejected: rejectedLimit(choices.maxRejected, journal.counts()),
    send: sender.poster(target.create),
    isListed: list !== undefined,
    canLookUp: list !== undefined && journal.get('baseline') !== 'unproved',
    onAltered,
    onVerdict(row, verdict) {
      if (seconds === undefined || !isTold(verdict)) return;
      const key = journal.rows.planned.keyOf(row, list === undefined ? 'fingerprint' : 'code');
      const why = key === null ? undefined : seconds.note(key, verdict);
      if (why !== undefined) sending.stop(refuted(journal, why));
    },
    isChanged: journal.get('codesChanged') !== undefined,
    compareCodes: async () => {
      const change = journal.get('codesChanged');
      if (change === undefined) return undefined;
      const { planned } = journal.rows;
      planned.storeAs(change);
      if (journal.get('baseline') === 'searched') {
        const why = await searchStored(journal, change, new Search(listingOf(sender)), isNewChange);
        if (why !== undefined) return why;
      }
      const found = journal.header.choices.onExisting === 'fail' ? planned.countInCatalogue() : 0;
      if (found > 0) {
        return importStops.existThatWay(howText(change), found);
      }
      queue.markChanged(planned, journal.header.choices);
      return undefined;
    },
    proofs: {
      matcher,
      wire,
      idField,
      keyField: target.keyField,
      locate: (row, problem) => locate(problem, journal.rows.planned.rowPlace(row)),
      onUnlike: (why) => journal.set('codesUnlike', why),
      // A code that occurs twice proves nothing, and without a list nothing can be looked up.
      isAlwaysAlone: list === undefined || choices.onDuplicate === 'all',
      ask: list === undefined ? undefined : countedQuestion(sender, wire, list),
    },
  });
  const listingOf = (from: Sender): Listing =>
    new Listing(target, {
      target: from.target,
      read: patientReader(
        countedReads(from, wire, () => sending.noteForeign()),
        {
          clock,
          signal: reads,
          // As for creates, only the patience decides when to give up.
          retries: Number.POSITIVE_INFINITY,
          patienceMs: options.patienceMs,
          onWait: (ms, why) => gate.close(ms, why),
        },
      ),
      takesSort: journal.get('learned')?.takesSort,
    });
  const reconciler = new Reconciler({
    journal,
    listing: list === undefined ? undefined : listingOf(sender),
    clock,
    baseline: journal.get('baseline') ?? 'unproved',
    settleMs: options.settleMs,
    agesFrom: clock.since,
    keyField: target.keyField,
    nameField: target.listing?.nameField,
    isOneByOne: () => sending.hasForeign,
    record: (rows) => sending.record(rows),
    relearn: async () => {
      const learned = await relearn();
      return learned === undefined ? undefined : listingOf(learned);
    },
    createdByOthers,
    onHidden(ms) {
      const why = journal.expected && lagContradiction(journal.expected, ms);
      if (why !== undefined) sending.stop(refuted(journal, why));
    },
  });
  return { queue, gate, pace, sending, reconciler };
}
