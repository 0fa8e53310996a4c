import { hash } from 'node:crypto';
import { ProcError } from '../../core/errors.ts';
import { inShell } from '../../core/text/typed.ts';
import type { RunHeader, SealedPlan } from '../store/facts.ts';
import type { Run } from '../store/run-file.ts';
import type { Bodies } from '../store/send-queue.ts';
import { targetOf } from '../targets/all-targets.ts';
import { Root, RowChanged, RowLines, statementLines } from './statement.ts';

/** Rows that are read and checked at once. Their sums are kept as one: a run may have a million. */
const BLOCK = 256;

/** Other rows are never sent. A person can decide that an unconfirmed row is sent again. */
const SENDABLE = ['pending', 'unconfirmed'];

/** `sha256:…` */
export function digestOf(journal: Run, sealed: Omit<SealedPlan, 'digest'>): string {
  const root = new Root();
  for (const lines of statementLines(journal, sealed)) for (const { text } of lines) root.add(text);
  return root.digest();
}

/**
 * The saved plan of a staged run. All its rows are checked against its digest.
 *
 * @throws ProcError `plan_changed`
 */
export function sealedOf(journal: Run): SealedPlan {
  return new SealedBodies(journal).sealed;
}

/**
 * The bodies of a staged run. All rows are checked against the digest at once, and each block of rows
 * again before the first of them is sent: the file may be changed meanwhile.
 */
export class SealedBodies implements Bodies {
  readonly sealed: SealedPlan;
  readonly #journal: Run;
  readonly #lines: RowLines;
  readonly #sums = new Map<number, string>();
  #block = -1;
  #bodies: ReadonlyMap<number, string> = new Map();

  /** @throws ProcError `plan_changed` */
  constructor(journal: Run) {
    const { header } = journal;
    this.#journal = journal;
    this.#lines = new RowLines(targetOf(header.noun), header.choices);
    const sealed = journal.get('sealed');
    const root = new Root();
    try {
      if (sealed === undefined) throw planChanged(header, undefined);
      for (const lines of statementLines(journal, sealed)) {
        for (const { text, row } of lines) {
          const sum = root.add(text);
          if (row !== undefined) fold(this.#sums, row, sum);
        }
      }
    } catch (thrown) {
      throw thrown instanceof RowChanged ? planChanged(header, sealed?.digest, thrown.row) : thrown;
    }
    if (root.digest() !== sealed.digest) throw planChanged(header, sealed.digest);
    this.sealed = sealed;
  }

  /** JSON text. @throws ProcError `plan_changed` */
  of(row: number): string {
    if (blockOf(row) !== this.#block) this.#read(blockOf(row));
    const body = this.#bodies.get(row);
    if (body !== undefined) return body;
    throw rowsChanged(this.#journal.header, row, row);
  }

  #read(block: number): void {
    const [first, last] = [block * BLOCK + 1, (block + 1) * BLOCK];
    const sums = new Map<number, string>();
    const bodies = new Map<number, string>();
    const {
      header,
      rows: { sealed },
    } = this.#journal;
    try {
      for (const one of sealed.between(first, last)) {
        fold(sums, one.row, hash('sha256', this.#lines.lineOf(one), 'hex'));
        if (one.body !== null && SENDABLE.includes(one.state)) bodies.set(one.row, one.body);
      }
    } catch (thrown) {
      throw thrown instanceof RowChanged ? rowsChanged(header, thrown.row, thrown.row) : thrown;
    }
    if (sums.get(block) !== this.#sums.get(block)) throw rowsChanged(header, first, last);
    this.#block = block;
    this.#bodies = bodies;
  }
}

function blockOf(row: number): number {
  return Math.floor((row - 1) / BLOCK);
}

/** Makes one sum of the sums of the rows of a block. */
function fold(sums: Map<number, string>, row: number, sum: string): void {
  const block = blockOf(row);
  sums.set(block, hash('sha256', `${sums.get(block) ?? ''}${sum}`, 'hex'));
}

function planChanged(header: RunHeader, digest: string | undefined, row?: number): ProcError {
  const { run } = header;
  const changed =
    row === undefined
      ? `the saved rows of ${run} do not give the digest of its statement: they were changed`
      : `row ${row} of ${run} is not as it was staged: it was changed`;
  return new ProcError('plan_changed', `${changed}, or the state folder is damaged`, {
    hint: stageAgainHint(header),
    details: { run, digest: digest ?? null },
  });
}

function rowsChanged({ run }: RunHeader, first: number, last: number): ProcError {
  const rows = first === last ? `row ${first}` : `a row from ${first} to ${last}`;
  return new ProcError(
    'plan_changed',
    `${rows} of ${run} was changed after sending began, so it was not sent`,
    {
      hint: `See which rows are still to be sent: proc imports rows ${inShell(run)} --state pending`,
      details: { run, first, last },
    },
  );
}

export function stageAgainHint({ run, noun, source }: RunHeader): string {
  const file = source.name === 'standard input' ? '-' : inShell(source.name);
  return `Discard the run: proc imports discard ${inShell(run)}. Then stage its file again with the same flags: proc ${noun} import ${file} --stage`;
}
