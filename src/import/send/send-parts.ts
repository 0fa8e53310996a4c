import type { Clock } from '../../core/ports.ts';
import type { Sender } from '../../core/service/sender.ts';
import { Listing } from '../../listing/listing.ts';
import { patientReader } from '../../listing/patient-reader.ts';
import type { Journal } from '../ledger/journal.ts';
import type { SendQueue } from '../ledger/rows/send-queue.ts';
import { Reconciler } from '../reconcile/reconciler.ts';
import type { ImportTarget } from '../targets/import-target.ts';
import { AnswerMatcher } from './answer-matcher.ts';
import { Gate } from './gate.ts';
import { Leave, Pace, Rate } from './pace.ts';
import type { runClock } from './run-clock.ts';
import { countedQuestion, countedReads } from './run-reads.ts';
import { Sending } from './sending.ts';
import { Wire } from './wire.ts';

/** How fast, and how patiently. May be given anew when a run is resumed. */
export interface SendOptions {
  /** Undefined adapts it. */
  readonly concurrency: number | undefined;
  /** Requests per second at most. */
  readonly rate: number | undefined;
  readonly patienceMs: number;
  readonly settleMs: number;
}

/** What sending needs of the outside. */
export interface SendPorts {
  readonly journal: Journal;
  readonly target: ImportTarget;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly options: SendOptions;
}

/** What sends and what reconciles, with what they share. */
export interface SendParts {
  /** Rows that wait, and what became of those that were sent. */
  readonly queue: SendQueue;
  /** Closed while the service is busy or away. */
  readonly gate: Gate;
  /** How many requests at once. */
  readonly pace: Pace;
  readonly sending: Sending;
  readonly reconciler: Reconciler;
}

/**
 * Wires the parts together. An answer goes from `sending` through its proofs, which ask the matcher
 * whose it is and the wire what was under way beside it; what they cannot prove, the reconciler looks up.
 *
 * @param reads ends look-ups
 */
export function partsOf(
  { journal, target, sender, options }: SendPorts,
  clock: ReturnType<typeof runClock>,
  reads: AbortSignal,
): SendParts {
  const { failFast, maxErrors } = journal.header.choices;
  const gate = new Gate(clock, options.patienceMs);
  const pace = new Pace(options.concurrency);
  const queue = journal.sendQueue();
  const { response } = target.create;
  const idField = response.kind === 'record' ? (response.created ?? 'id') : 'id';
  const matcher = new AnswerMatcher(
    { id: idField, key: target.keyField },
    {
      hasRow: (code) => queue.hasRow(code),
      onAltered: () => {
        if (journal.get('codesAltered') !== true) journal.set('codesAltered', true);
      },
    },
  );
  const list = target.listing?.endpoint;
  const wire = new Wire(options.settleMs, clock.now());
  const sending = new Sending({
    queue,
    gate,
    pace,
    clock,
    leave: new Leave(
      options.rate === undefined ? undefined : new Rate(options.rate, clock.now()),
      pace.found,
    ),
    mostErrors: failFast ? 0 : maxErrors,
    send: sender.poster(target.create),
    proofs: {
      matcher,
      wire,
      isCrossed: journal.get('answersSwapped') === true,
      idField,
      // Codes that come twice prove nothing; what cannot be listed cannot be looked up.
      isAlwaysAlone: list === undefined || journal.header.choices.onDuplicate === 'all',
      ask: list === undefined ? undefined : countedQuestion(sender, wire, clock, list),
    },
  });
  const reader = countedReads(sender, wire, clock, () => sending.cross());
  const listing =
    target.listing === undefined
      ? undefined
      : new Listing(target, {
          target: sender.target,
          read: patientReader(reader, {
            clock,
            signal: reads,
            // As with creates, patience alone decides when to give up.
            retries: Number.POSITIVE_INFINITY,
            patienceMs: options.patienceMs,
            onWait: (ms, why) => gate.close(ms, why),
          }),
          takesSort: journal.get('learned')?.takesSort,
        });
  const reconciler = new Reconciler({
    journal,
    listing,
    clock,
    baseline: journal.get('baseline') ?? 'unproved',
    settleMs: options.settleMs,
    agesFrom: clock.since,
    keyField: target.keyField,
    isCrossed: () => sending.isCrossed,
    settle: (rows) => sending.settle(rows),
  });
  return { queue, gate, pace, sending, reconciler };
}
