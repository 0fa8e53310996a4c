import { DialogueError, type ProcError } from '../../../core/errors.ts';
import type { Ports } from '../../../core/ports.ts';
import type { Problem } from '../../../core/problem/row-problem.ts';
import { storedCode } from '../../../core/service/code-change.ts';
import { listed, listedAndMore } from '../../../core/text/listed.ts';
import { inEach, type Lang, type Said } from '../../../core/text/phrase.ts';
import { inShell, typedAgain } from '../../../core/text/typed.ts';
import { bulkMessages } from '../../../messages/bulk.ts';
import { fieldName } from '../../../messages/import-nouns.ts';
import { importPlanMessages } from '../../../messages/planning.ts';
import { sentence } from '../../../messages/problems.ts';
import { resolveCommand } from '../../report/next-steps.ts';
import { rowsIn } from '../../report/words.ts';
import { checkDestination } from '../../resume/run-destination.ts';
import { settleMsOf } from '../../run-options.ts';
import { holdersOf } from '../../store/known-records.ts';
import type { Unconfirmed } from '../../store/looked-up-rows.ts';
import type { Run } from '../../store/run-file.ts';
import { type Decided, nameOf, type Resolving } from './decision.ts';
import type { DecisionFile } from './decision-file.ts';
import { lookUp, type Seen } from './look-up.ts';

/** Maximum number of rows or ids in the text of an error. */
const NAMED = 5;
/** Maximum number of rows in the details of an error. */
const DETAILED = 1_000;

type CheckPorts = Ports<'io' | 'api' | 'ask' | 'store' | 'self'>;

export interface Checked extends Resolving {
  readonly run: Run;
  /** The source of the decisions; undefined for flags and the prompt. */
  readonly file: DecisionFile | undefined;
}

/** A decision, and what the list shows of its row. */
interface Judged {
  readonly one: Decided;
  /**
   * `wrong`: the row did not create the record to adopt. `present`: the list has the row to resend, so
   * that sending it again would create a second record. `unproved`: it may have the row.
   */
  readonly is: 'right' | 'wrong' | 'present' | 'unproved';
  /** The records that may be the row; at least one if it is present. */
  readonly ids: readonly string[];
  /** Why the id to adopt is wrong. Undefined unless `is` is `wrong`. */
  readonly why?: Said | undefined;
}

/**
 * Checks the ids to adopt and the rows to resend. Reads the list at most once.
 *
 * An id is wrong if another row or a command of this machine created it; and with a list, if it existed
 * before the run, or the complete list does not have it, or it has another code than the row.
 *
 * A row to resend must be provably absent; with `--again`, it may also be in doubt. A row in the list
 * is never resent: on a terminal, proc proposes to adopt its record. If the service has no list, every
 * row may be resent.
 *
 * @returns the decisions to record; a row that is left out stays unconfirmed
 * @throws ProcError `invalid_usage`, `reference_not_found`, `confirmation_required`, `incomplete`;
 *   nothing was changed
 */
export async function checkDecided(
  decided: readonly Decided[],
  checked: Checked,
  ports: CheckPorts,
): Promise<readonly Decided[]> {
  if (decided.length === 0) return [];
  const { target, file, flags } = checked;
  const settleMs = await settleMsOf(flags, ports);
  const given = decided.filter(({ decision }) => decision.kind !== 'drop');
  if (given.length === 0) return decided;
  let seen: Seen | undefined;
  if (target.listing !== undefined) {
    if (ports.api.isPreview && !(await canRead(ports))) {
      const text = bulkMessages[await ports.io.lang()].listNotRead(target.many);
      ports.io.say({ kind: 'warning', text });
      return decided;
    }
    seen = await look(given, settleMs, checked, ports);
  }
  const judged = await judge(given, seen, checked, ports);
  const those = (is: Judged['is']) => judged.filter((one) => one.is === is);
  const wrong = those('wrong');
  if (wrong.length > 0) throw wrongIds(wrong, seen, checked, ports);
  await sayUnverified(idsOf(given), seen, checked, ports);
  if (seen === undefined) return decided;
  const present = those('present');
  const { io, self, api } = ports;
  const canAsk = file === undefined && io.terminal.interactive && !self.flags.yes && !api.isPreview;
  if (present.length > 0 && !canAsk) throw inList(present, checked, ports);
  const unproved = those('unproved').map(({ one }) => one.row);
  await confirmUnproved(unproved, seen, checked, ports);
  if (present.length === 0) return decided;
  const proposed = await proposeAdoptions(present, seen, checked, ports);
  const isPresent = new Set(present.map(({ one }) => one));
  return [...proposed, ...decided.filter((one) => !isPresent.has(one))];
}

function idsOf(decided: readonly Decided[]): readonly string[] {
  return decided.flatMap(({ decision }) => (decision.kind === 'adopt' ? [decision.id] : []));
}

async function canRead({ api, self }: CheckPorts): Promise<boolean> {
  return !self.flags.offline && (await api.target()).key !== undefined;
}

/**
 * Reads the list once the service must have applied the last request. Before that, a row that is missing
 * from it proves nothing.
 */
async function look(
  given: readonly Decided[],
  settleMs: number,
  { run, target }: Checked,
  ports: CheckPorts,
): Promise<Seen> {
  const { clock, signal } = ports.self;
  await checkDestination(run, ports, 'resolve');
  const resent = given.filter(({ decision }) => decision.kind === 'resend');
  const last = resent.reduce((latest, { row }) => Math.max(latest, row.sent_at ?? 0), 0);
  const left = Math.min(settleMs, last + settleMs - clock.now());
  if (left > 0) {
    const text = bulkMessages[await ports.io.lang()].waiting(Math.ceil(left / 1_000));
    ports.io.say({ kind: 'notice', text });
    await clock.sleep(left, signal);
  }
  const place = { target, run, sentUntil: clock.now() - settleMs };
  return lookUp(
    given.map(({ row }) => row),
    idsOf(given),
    place,
    ports,
  );
}

/**
 * A record with the code of a row may be that row; for a row without a code, the name counts. Ignores
 * records that existed before the run, that are adopted for other rows, and that this machine created
 * with another row or command. A row that is not found is absent only if the list is provably complete.
 */
async function judge(
  given: readonly Decided[],
  seen: Seen | undefined,
  { run, target }: Checked,
  ports: CheckPorts,
): Promise<readonly Judged[]> {
  const alike = new Map(
    given.map(({ row }) => {
      const ids = seen?.alike(row).filter((id) => !run.rows.catalogue.has(id));
      return [row, ids ?? []] as const;
    }),
  );
  const adopted = idsOf(given);
  const holders = await holdersOf([...adopted, ...[...alike.values()].flat()], run, target, ports);
  const taken = new Set(adopted);
  const canTell = seen?.isComplete === true && run.get('codesAltered') !== true;
  return given.map((one): Judged => {
    const { row, decision } = one;
    const free = alike.get(row)!.filter((id) => !holders.has(id));
    if (decision.kind === 'adopt') {
      const { id } = decision;
      const holder = holders.get(id);
      const why =
        holder === undefined
          ? whyNot(row, id, seen, run)
          : { en: `${id} was created by ${holder.en}`, es: `${id} se creó por ${holder.es}` };
      const ids = free.filter((other) => other !== id);
      return { one, is: why === undefined ? 'right' : 'wrong', ids, why };
    }
    const ids = free.filter((id) => !taken.has(id));
    const isAbsent = () => canTell && seen.hasKey(row) && seen.doubt(row) === undefined;
    const is = ids.length > 0 ? 'present' : seen === undefined || isAbsent() ? 'right' : 'unproved';
    return { one, is, ids };
  });
}

function whyNot(
  { row, code }: Unconfirmed,
  id: string,
  seen: Seen | undefined,
  run: Run,
): Said | undefined {
  if (seen === undefined) return undefined;
  if (run.rows.catalogue.has(id)) {
    return {
      en: `${id} existed before this run started`,
      es: `${id} existía antes de esta importación`,
    };
  }
  const found = seen.record(id);
  if (found === undefined) {
    const text = { en: `${id} is not in the list`, es: `${id} no está en la lista` };
    return seen.isComplete ? text : undefined;
  }
  // If the service changes codes, a different code proves nothing.
  const isSame = code === null || found.code === storedCode(run.codeChange, code);
  if (isSame || run.get('codesAltered') === true) return undefined;
  return {
    en: `${id} has the code ${found.code ?? '(none)'}, but row ${row} has ${code}`,
    es: `${id} tiene el código ${found.code ?? '(ninguno)'}, pero la fila ${row} tiene ${code}`,
  };
}

async function sayUnverified(
  ids: readonly string[],
  seen: Seen | undefined,
  { run, target: { many } }: Checked,
  { io: { say, lang } }: CheckPorts,
): Promise<void> {
  if (ids.length === 0) return;
  const words = bulkMessages[await lang()];
  if (seen === undefined) {
    say({ kind: 'notice', text: words.notListed(ids, many) });
    return;
  }
  const missing = ids.filter((id) => seen.record(id) === undefined);
  if (missing.length > 0) {
    say({ kind: 'warning', text: words.notSeen(missing) });
  }
  if (run.get('baseline') === 'unproved') {
    say({ kind: 'warning', text: words.maybeOld(ids) });
  }
}

/**
 * Rows whose absence is not proved are resent only with `--again`, and proc warns about them.
 *
 * @throws ProcError `incomplete`
 */
async function confirmUnproved(
  unproved: readonly Unconfirmed[],
  seen: Seen,
  { run, target }: Checked,
  ports: CheckPorts,
): Promise<void> {
  if (unproved.length === 0) return;
  const isOne = unproved.length === 1;
  const key = target.keyField;
  const known: Problem | undefined = !seen.isComplete
    ? { code: 'list_incomplete', args: {} }
    : run.get('codesAltered') === true
      ? { code: 'stored_otherwise', args: { key } }
      : unproved.map((row) => seen.doubt(row)).find((doubt) => doubt !== undefined);
  const lang = await ports.io.lang();
  const names = (of: Lang) =>
    listed(
      unproved.map(({ row, code }) => code ?? importPlanMessages[of].place(row, null)),
      NAMED,
    );
  if (ports.self.flags.again) {
    const doubt = known === undefined ? undefined : sentence(known, lang);
    const text = bulkMessages[lang].resentAnyway(unproved.length, names(lang), key, doubt);
    ports.io.say({ kind: 'warning', text });
    return;
  }
  const why =
    known === undefined
      ? `${isOne ? 'it has' : 'they have'} no ${key} to look up`
      : sentence(known);
  const whyEs =
    known === undefined
      ? `${isOne ? 'no tiene' : 'no tienen'} ${fieldName(key, 'es')} para ${isOne ? 'buscarla' : 'buscarlas'}`
      : sentence(known, 'es');
  const missing = `${rowsIn(unproved.length, 'row was', 'rows were')} not found in the list (${names('en')}), but ${why}`;
  const learn = seen.isComplete ? '' : 'Detect the parameter names: proc doctor. ';
  const isTyped = ports.self.typed.some((word) => /^--(resend|from)(=|$)/.test(word));
  const again = isTyped
    ? typedAgain(ports.self.typed, ['--again'])
    : `${resolveCommand(run.header, ports)} ${unproved[0]!.row} --resend --again`;
  throw new DialogueError(
    'incomplete',
    {
      en: `${missing}; nothing was changed`,
      es: `${unproved.length === 1 ? 'no se encontró 1 fila' : `no se encontraron ${unproved.length} filas`} en la lista (${names('es')}), pero ${whyEs}; no se cambió nada`,
    },
    {
      hint: {
        en: `${learn}If you know that the ${isOne ? 'row was' : 'rows were'} not created, run: ${again}`,
        es: `${seen.isComplete ? '' : 'Detecte los nombres de los parámetros: proc doctor. '}Si sabe que ${isOne ? 'la fila no se creó' : 'las filas no se crearon'}, ejecute: ${again}`,
      },
      details: {
        notFound: unproved.length,
        rows: unproved.slice(0, DETAILED).map(({ row, code }) => ({ row, code, candidates: [] })),
      },
    },
  );
}

/** Asks whether a record in the list is the row. A row without an answer stays unconfirmed. */
async function proposeAdoptions(
  present: readonly Judged[],
  seen: Seen,
  checked: Checked,
  ports: CheckPorts,
): Promise<readonly Decided[]> {
  const words = bulkMessages[await ports.io.lang()];
  const taken = new Set<string>();
  const adopted: Decided[] = [];
  for (const { one, ids } of present) {
    const { row, code } = one.row;
    const free = ids.filter((id) => !taken.has(id));
    if (free.length === 0) continue;
    const id = await ports.ask.select<string | undefined>(words.isInList(row, code), [
      ...free.map((value) => ({ name: words.adoptIt(value), value })),
      { name: words.leave, value: undefined },
    ]);
    if (id === undefined) continue;
    taken.add(id);
    adopted.push({ ...one, decision: { kind: 'adopt', id } });
    await sayUnverified([id], seen, checked, ports);
  }
  return adopted;
}

/** Of flags, there is a single id. */
function wrongIds(
  wrong: readonly Judged[],
  seen: Seen | undefined,
  { file, run, target: { one: record, noun } }: Checked,
  ports: CheckPorts,
): ProcError {
  if (file !== undefined) {
    const some = (lang: Lang) => {
      const all = wrong.map(({ one: { place }, why, ids }) => {
        const fresh = lang === 'es' ? 'nuevos en la lista' : 'new in the list';
        const shown = ids.length === 0 ? '' : ` (${fresh}: ${listed(ids, NAMED)})`;
        return `${place}: id: ${why![lang]}${shown}`;
      });
      return lang === 'es' ? listed(all, NAMED, '; ') : listedAndMore(all, NAMED);
    };
    const rows = wrong.slice(0, DETAILED).map(({ one: { row, decision }, why, ids }) => {
      const id = decision.kind === 'adopt' ? decision.id : null;
      return { row: row.row, code: row.code, id, reason: why!.en, candidates: ids };
    });
    return new DialogueError(
      'reference_not_found',
      {
        en: `${file.name}, ${some('en')}; nothing was changed`,
        es: `${file.name}, ${some('es')}; no se cambió nada`,
      },
      {
        hint: {
          en: 'Correct these ids in the file and run the command again',
          es: 'Corrija esos ids en el archivo y ejecute el comando otra vez',
        },
        details: { wrong: wrong.length, rows },
      },
    );
  }
  const [{ one, why, ids }] = wrong as [Judged & { readonly why: Said }];
  if (seen === undefined) return new DialogueError('invalid_usage', why);
  const { row, code } = one.row;
  const command = `${resolveCommand(run.header, ports)} ${row}`;
  const [first] = ids;
  const hint = inEach((lang) => {
    const alike = code === null ? fieldName('name', lang) : `${fieldName('code', lang)} ${code}`;
    if (first !== undefined) {
      const adopt = `${command} --adopt ${inShell(first)}`;
      return lang === 'es'
        ? `La lista tiene un registro nuevo con el ${alike} de esta fila: ${listed(ids, NAMED)}. Si lo creó la fila, ejecute: ${adopt}`
        : `The list has a new ${record} with the ${alike} of this row: ${listed(ids, NAMED)}. If the row created it, run: ${adopt}`;
    }
    if (!seen.isComplete) {
      const list = `proc ${noun} list --all`;
      return lang === 'es' ? `Búsquelo en la lista: ${list}` : `Look for it in the list: ${list}`;
    }
    return lang === 'es'
      ? `Ningún registro nuevo tiene el ${alike} de esta fila. Si la fila no se creó, ejecute: ${command} --resend`
      : `No new ${record} has the ${alike} of this row. If the row was not created, run: ${command} --resend`;
  });
  const message = {
    en: `${why.en}; row ${row} was not changed`,
    es: `${why.es}; la fila ${row} no cambió`,
  };
  return new DialogueError('reference_not_found', message, {
    hint,
    details: { row, code, candidates: ids },
  });
}

function inList(present: readonly Judged[], { file, run }: Checked, ports: CheckPorts): ProcError {
  const { length } = present;
  const names = (lang: Lang) =>
    present.map(({ one: { row, place }, ids }) => {
      const name = `${nameOf(row, lang)} ${lang === 'es' ? 'como' : 'as'} ${listed(ids, NAMED)}`;
      return place === undefined ? name : `${place}: ${name}`;
    });
  const them = length === 1 ? 'it' : 'them';
  const twice = `Sending ${them} again would create ${them} twice; nothing was changed`;
  const los = length === 1 ? 'la' : 'las';
  const twiceEs = `Si se ${los} enviara otra vez, se ${length === 1 ? 'crearía' : 'crearían'} dos veces; no se cambió nada`;
  const rows = present.slice(0, DETAILED).map(({ one: { row }, ids }) => {
    return { row: row.row, code: row.code, candidates: ids };
  });
  if (file !== undefined) {
    return new DialogueError(
      'confirmation_required',
      {
        en: `${file.name}: ${rowsIn(length, 'row to resend is', 'rows to resend are')} in the list: ${listedAndMore(names('en'), NAMED)}. ${twice}`,
        es: `${file.name}: ${length === 1 ? '1 fila por reenviar está' : `${length} filas por reenviar están`} en la lista: ${listed(names('es'), NAMED, '; ')}. ${twiceEs}`,
      },
      {
        hint: {
          en: `In the file, set the outcome of ${length === 1 ? 'this row' : 'these rows'} to adopt and give the id`,
          es: `En el archivo, ponga adopt como resultado de ${length === 1 ? 'esta fila' : 'estas filas'} e indique el id`,
        },
        details: { found: length, rows },
      },
    );
  }
  const resolve = resolveCommand(run.header, ports);
  // Rows with the same code get different ids, as long as there are enough.
  const proposed = new Set<string>();
  const commands = present.map(({ one, ids }) => {
    const id = ids.find((free) => !proposed.has(free)) ?? ids[0]!;
    proposed.add(id);
    return `${resolve} ${one.row.row} --adopt ${inShell(id)}`;
  });
  return new DialogueError(
    'confirmation_required',
    {
      en: `${rowsIn(length, 'row is', 'rows are')} in the list: ${listed(names('en'), NAMED, '; ')}. ${twice}`,
      es: `${length === 1 ? '1 fila está' : `${length} filas están`} en la lista: ${listed(names('es'), NAMED, '; ')}. ${twiceEs}`,
    },
    {
      hint: {
        en: `Adopt the existing records: ${listed(commands, NAMED, '; ')}`,
        es: `Adopte los registros existentes: ${listed(commands, NAMED, '; ')}`,
      },
      details: { found: length, rows: rows.map((row, at) => ({ ...row, command: commands[at] })) },
    },
  );
}
