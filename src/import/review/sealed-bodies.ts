import { hash } from 'node:crypto';
import { DialogueError, type ProcError } from '../../core/errors.ts';
import type { Said } from '../../core/text/phrase.ts';
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
export function digestOf(run: Run, sealed: Omit<SealedPlan, 'digest'>): string {
  const root = new Root();
  for (const lines of statementLines(run, sealed)) for (const { text } of lines) root.add(text);
  return root.digest();
}

/**
 * The saved plan of a staged run. All its rows are checked against its digest.
 *
 * @throws ProcError `plan_changed`
 */
export function sealedOf(run: Run): SealedPlan {
  return new SealedBodies(run).sealed;
}

/**
 * The bodies of a staged run. All rows are checked against the digest at once, and each block of rows
 * again before the first of them is sent: the file may be changed meanwhile.
 */
export class SealedBodies implements Bodies {
  readonly sealed: SealedPlan;
  readonly #run: Run;
  readonly #lines: RowLines;
  readonly #sums = new Map<number, string>();
  #block = -1;
  #bodies: ReadonlyMap<number, string> = new Map();

  /** @throws ProcError `plan_changed` */
  constructor(run: Run) {
    const { header } = run;
    this.#run = run;
    this.#lines = new RowLines(targetOf(header.noun), header.choices);
    const sealed = run.get('sealed');
    const root = new Root();
    try {
      if (sealed === undefined) throw planChanged(header, undefined);
      for (const lines of statementLines(run, sealed)) {
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
    throw rowsChanged(this.#run.header, row, row);
  }

  #read(block: number): void {
    const [first, last] = [block * BLOCK + 1, (block + 1) * BLOCK];
    const sums = new Map<number, string>();
    const bodies = new Map<number, string>();
    const {
      header,
      rows: { sealed },
    } = this.#run;
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
      ? {
          en: `the saved rows of ${run} do not give the digest of its statement: they were changed`,
          es: `las filas de ${run} no dan la huella de su plan: se cambiaron`,
        }
      : {
          en: `row ${row} of ${run} is not as it was staged: it was changed`,
          es: `la fila ${row} de ${run} no es la que se preparó: se cambió`,
        };
  const message = {
    en: `${changed.en}, or the state folder is damaged`,
    es: `${changed.es}, o la carpeta de proc está dañada`,
  };
  return new DialogueError('plan_changed', message, {
    hint: stageAgainHint(header),
    details: { run, digest: digest ?? null },
  });
}

function rowsChanged({ run }: RunHeader, first: number, last: number): ProcError {
  const isOne = first === last;
  return new DialogueError(
    'plan_changed',
    {
      en: `${isOne ? `row ${first}` : `a row from ${first} to ${last}`} of ${run} was changed after sending began, so it was not sent`,
      es: `${isOne ? `la fila ${first}` : `una fila de ${first} a ${last}`} de ${run} se cambió durante el envío, y no se envió`,
    },
    {
      hint: stillToSend(run),
      details: { run, first, last },
    },
  );
}

export function stillToSend(run: string): Said {
  const command = `proc imports rows ${inShell(run)} --state pending`;
  return {
    en: `See which rows are still to be sent: ${command}`,
    es: `Las filas que quedan por enviar: ${command}`,
  };
}

export function stageAgainHint({ run, noun, source }: RunHeader): Said {
  const file = source.name === 'standard input' ? '-' : inShell(source.name);
  const discard = `proc imports discard ${inShell(run)}`;
  const again = `proc ${noun} import ${file} --stage`;
  return {
    en: `Discard the run: ${discard}. Then stage its file again with the same flags: ${again}`,
    es: `Descarte la importación: ${discard}. Luego prepare el archivo otra vez con las mismas opciones: ${again}`,
  };
}
