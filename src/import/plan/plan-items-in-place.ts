import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { together } from '../../core/problem/row-problem.ts';
import { grouped } from '../../core/text/decimal.ts';
import { patientReader } from '../../listing/patient-reader.ts';
import { findCodes } from '../../listing/search-codes.ts';
import { listItems } from '../../nouns/items/index.ts';
import type { CatalogueItem } from '../../nouns/shared/catalogue.ts';
import {
  type CodeUse,
  type Decision,
  type Definition,
  decide,
  definitionsIn,
  type LineCounts,
  resolveLines,
  type WithLines,
} from '../../nouns/shared/items-in-place.ts';
import { locator } from '../map/locate.ts';
import type { OpenRun } from '../open-run.ts';
import { importPatience } from '../patient-reads.ts';
import { isSent } from '../phases.ts';
import { createFirst } from '../report/items-file.ts';
import { LineItems } from '../store/planned-rows.ts';
import type { Run } from '../store/run-file.ts';
import { ITEM_IMPORT } from '../targets/item-import.ts';
import { REQUISITION_IMPORT } from '../targets/requisition-import.ts';
import { readWithNames, senderFor } from './catalogue/open-listing.ts';

const LISTED_CODES = 20;

export interface ItemsPlan {
  readonly counts: LineCounts;
  /** False if codes could not be looked up, e.g. in a dry run without a key. */
  readonly isLookedUp: boolean;
  readonly refusal: ProcError | undefined;
}

/**
 * Decides which lines refer to an existing item instead of defining
 * one, and which rows are rejected.
 *
 * Call it after the search for rows that were sent before, which compares the original bodies.
 */
export async function applyItemsInPlace(
  opened: ReadingRun,
  ports: Ports<'io' | 'api' | 'lookup' | 'ask' | 'self'>,
): Promise<ItemsPlan> {
  const { run, progress } = opened;
  run.note({ ordersLines: true });
  using items = new LineItems(run.rows.sql);
  collect(run, items);
  const codes = items.count();
  if (codes === 0) return plan(run, true);
  if (!(await ports.lookup.mayReadLists())) return plan(run, false);
  progress.step(`Looking up ${codes === 1 ? '1 item code' : `${grouped(codes)} item codes`}`, {
    step: 'plan',
    count: codes,
  });
  if (!(await findItems(opened, items, ports))) {
    return plan(run, true, unverified(run, codes));
  }
  progress.finish();
  const refusal = sharedItems(run, items, ports);
  applyRule(run, items);
  return plan(run, true, refusal);
}

function plan(run: Run, isLookedUp: boolean, refusal?: ProcError): ItemsPlan {
  return { counts: run.rows.planned.countLines('pending'), isLookedUp, refusal };
}

function collect(run: Run, items: LineItems): void {
  for (const batch of run.rows.planned.bodiesWithItems()) {
    run.step(() => {
      for (const { row, body } of batch) {
        for (const item of definitionsIn(JSON.parse(body) as WithLines)) {
          items.define(item.code!, row, JSON.stringify(item));
        }
      }
    });
  }
  run.endSteps();
}

type ReadingRun = Pick<OpenRun, 'run' | 'options' | 'progress'>;

/**
 * Looks up all codes. If codes may exist that were not found, detects the parameter names of the
 * list and tries again.
 *
 * @returns false if codes may exist that were not found
 */
async function findItems(
  opened: ReadingRun,
  items: LineItems,
  ports: Ports<'io' | 'api' | 'ask' | 'self'>,
): Promise<boolean> {
  const { run, progress } = opened;
  const { isRead } = await readWithNames({
    target: ITEM_IMPORT,
    names: run,
    progress,
    ports,
    read() {
      items.forgetKnown();
      return lookUp(opened, items, ports);
    },
  });
  return isRead;
}

/** @returns false if codes may exist that were not found */
async function lookUp(
  { run, options: { patienceMs } }: ReadingRun,
  items: LineItems,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<boolean> {
  const sender = await senderFor(ITEM_IMPORT, run, ports, 4);
  const takesSort = run.get('learned')?.takesSort;
  const read = patientReader(sender, importPatience(ports, patienceMs));
  const wanted = {
    size: items.wanted().length,
    has: (code: string) => items.isWanted(code),
    all: () => items.wanted(),
    // With flat rows, the column of codes may contain ids.
    mayBeIds: run.header.groupBy !== undefined,
  };
  return findCodes(
    listItems,
    wanted,
    { target: sender.target, read, takesSort },
    (code, { id, name }) => {
      items.know(code, id, name);
    },
  );
}

function unverified(run: Run, codes: number): ProcError {
  const isBegun = isSent(run.phase);
  return new ProcError(
    isBegun ? 'incomplete' : 'catalogue_unverified',
    `the list of items may be incomplete, so proc cannot tell whether ${codes === 1 ? '1 item' : `${codes} items`} defined in place already ${codes === 1 ? 'exists' : 'exist'}; nothing was sent`,
    {
      hint: 'Detect the parameter names: proc doctor. To use existing items, refer to them by itemId',
    },
  );
}

function sharedItems(
  { header }: Run,
  items: LineItems,
  ports: Ports<'io' | 'api' | 'self'>,
): ProcError | undefined {
  const count = items.countShared();
  if (count === 0) return undefined;
  const isPiped = header.source.name === 'standard input';
  return createFirst(
    {
      count,
      first: items.firstShared(LISTED_CODES),
      differing: items.differing(LISTED_CODES),
      *items() {
        for (const item of items.shared()) yield JSON.parse(item) as Definition;
      },
      source: isPiped ? undefined : header.source.path,
    },
    ports,
  );
}

function applyRule(run: Run, items: LineItems): void {
  const { planned } = run.rows;
  const decideOn = decisionsOf(items);
  const locate = locator(run.header, run.header.source.format, REQUISITION_IMPORT);
  for (const batch of planned.bodiesWithItems()) {
    run.commit(() => {
      for (const { row, body: text } of batch) {
        const body = JSON.parse(text) as WithLines;
        const { payload, refused } = resolveLines(body, decideOn);
        const place = planned.rowPlace(row);
        const reason = together(
          refused.map(({ field, reason: problem }) => locate({ ...problem, field }, place)),
        );
        if (reason !== undefined) {
          run.rows.writer.apply(row, 'refuse', 'rejected', { reason });
        } else if (payload !== body) planned.replaceBody(row, JSON.stringify(payload));
      }
    });
  }
}

function decisionsOf(items: LineItems): (item: Definition) => Decision {
  return (item) => decide(item, codeUse(items, item.code!));
}

function codeUse(items: LineItems, code: string): CodeUse {
  return {
    found: items
      .knownWith(code)
      .map(({ id, name }): CatalogueItem => ({ id, code, name: name ?? undefined })),
    lines: items.at(code)?.lines ?? 1,
  };
}
