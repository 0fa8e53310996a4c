import { grouped } from '../../core/text/decimal.ts';
import { inEach, inLang, type Phrase, type Said } from '../../core/text/phrase.ts';
import { type Counted, countedWord, countOf } from '../import-nouns.ts';
import { afterSending } from './service-errors.ts';

interface Named {
  readonly code: string;
  readonly ids: readonly string[];
}

/** What is wrong at the end of an import. A run counts rows, or requisitions. */
export const importEndings = {
  parked: (n: number, counted: Counted): Said => ({
    en: `${countOf(n, counted, 'en')} ${n === 1 ? 'was' : 'were'} sent but not confirmed`,
    es: `${n === 1 ? 'se envió' : 'se enviaron'} ${countOf(n, counted, 'es')} sin confirmación`,
  }),
  undelivered: (n: number, counted: Counted, why: Phrase): Said => ({
    en: `${countOf(n, counted, 'en')} created, but ${inLang(why, 'en')}`,
    es: `${n === 1 ? 'se creó' : 'se crearon'} ${countOf(n, counted, 'es')}, pero ${inLang(why, 'es')}`,
  }),
  stopped: (why: Phrase): Said => ({
    en: `stopped: ${inLang(why, 'en')}`,
    es: `se detuvo: ${inLang(why, 'es')}`,
  }),
  open: (n: number, counted: Counted): Said => ({
    en: `${countOf(n, counted, 'en')} still to be sent or looked up`,
    es: `${n === 1 ? 'queda' : 'quedan'} ${countOf(n, counted, 'es')} por enviar o buscar`,
  }),
  rejected: (n: number, counted: Counted): Said => ({
    en: `${countOf(n, counted, 'en')} ${n === 1 ? 'was' : 'were'} rejected`,
    es: `${n === 1 ? 'se rechazó' : 'se rechazaron'} ${countOf(n, counted, 'es')}`,
  }),
  /** `here` of the codes were created again by other runs or commands of this machine. */
  twice: (n: number, here: number, named: readonly Named[], isByName: boolean): Said =>
    inEach((lang) => {
      const shown = named.slice(0, 3).map(({ code, ids }) => `${code} (${ids.join(', ')})`);
      const some = shown.join(', ') + (n > shown.length ? ', …' : '');
      return lang === 'es'
        ? `${n} ${isByName ? (n === 1 ? 'código o nombre existe' : 'códigos o nombres existen') : n === 1 ? 'código existe' : 'códigos existen'} ahora más de una vez: ${some}. ${twiceCause(n, here).es}`
        : `${n} ${isByName ? (n === 1 ? 'code or name now exists' : 'codes or names now exist') : n === 1 ? 'code now exists' : 'codes now exist'} more than once: ${some}. ${twiceCause(n, here).en}`;
    }),
  listed: (n: number, codes: string): Said => ({
    en: `rejected, but the list has ${n === 1 ? 'it' : 'them'}: ${codes}`,
    es: `${n === 1 ? 'rechazada, pero está' : 'rechazadas, pero están'} en la lista: ${codes}`,
  }),
} as const;

/** Who created codes that exist twice: `here` of them were created again from this machine. */
export function twiceCause(twice: number, here: number): Said {
  const rest = twice - here;
  const isOne = twice === 1;
  if (here === 0) {
    return {
      en: `${isOne ? 'It was' : 'They were'} also created elsewhere at the same time`,
      es: `También se ${isOne ? 'creó' : 'crearon'} en otro lugar al mismo tiempo`,
    };
  }
  const en = 'Other runs or commands of this machine created';
  const es = 'Otras importaciones o comandos de este equipo también';
  if (rest === 0) {
    return {
      en: `${en} ${isOne ? 'it' : 'them'} too`,
      es: `${es} ${isOne ? 'lo' : 'los'} crearon`,
    };
  }
  return {
    en: `${en} ${grouped(here)} of them too. The other ${grouped(rest)} ${rest === 1 ? 'was' : 'were'} also created elsewhere`,
    es: `${es} crearon ${grouped(here, 'es')} de ellos. ${rest === 1 ? 'El otro también se creó' : `Los otros ${grouped(rest, 'es')} también se crearon`} en otro lugar`,
  };
}

/** What to do at the end of an import. */
export const importNexts = {
  lost: {
    en: 'The run cannot be resumed. Check the service before you import the file again',
    es: 'La importación no se puede reanudar. Compruebe el servicio antes de importar el archivo otra vez',
  },
  resume: (open: number, counted: Counted, resume: string): Said => ({
    en: `Resume it${open === 0 ? '' : `, to look up ${open} unconfirmed ${countedWord(open, counted, 'en')}`}: ${resume}`,
    es: `Reanúdela${open === 0 ? '' : `, para buscar ${countOf(open, counted, 'es')} sin confirmar`}: ${resume}`,
  }),
  resolve: (resolve: string): Said => ({
    en: `Check the service, then run: ${resolve}`,
    es: `Compruebe el servicio y ejecute: ${resolve}`,
  }),
  writeAgain: (resume: string): Said => ({
    en: `Write it again: ${resume} --results FILE`,
    es: `Escríbalo otra vez: ${resume} --results FILE`,
  }),
  fix: (n: number, file: string): Said => ({
    en: `Fix ${n === 1 ? 'it' : 'them'} in ${file}, then import that file`,
    es: `Corríja${n === 1 ? 'la' : 'las'} en ${file} e importe ese archivo`,
  }),
  checkRecords: {
    en: 'Check these records in the service before you import the rows again',
    es: 'Compruebe estos registros en el servicio antes de importar las filas otra vez',
  },
  checkHidden: (n: number): Said => ({
    en:
      n === 1
        ? 'Check the row in the service. This machine does not create it again, but an import from another machine would'
        : 'Check the rows in the service. This machine does not create them again, but an import from another machine would',
    es:
      n === 1
        ? 'Compruebe la fila en el servicio. Este equipo no la crea otra vez, pero una importación desde otro equipo lo haría'
        : 'Compruebe las filas en el servicio. Este equipo no las crea otra vez, pero una importación desde otro equipo lo haría',
  }),
} as const;

/** Why an import stopped. */
export const importStops = {
  lookUpFailed: (why: Phrase): Said => ({
    en: `a look-up failed: ${afterSending(why).en}`,
    es: `falló una búsqueda: ${afterSending(why).es}`,
  }),
  asksToWait: (why: Said, seconds: number): Said => ({
    en: `${why.en} and asks to wait ${seconds} s, longer than --tune patience`,
    es: `${why.es} y pide esperar ${seconds} s, más que --tune patience`,
  }),
  /** `row` is what is wrong with the row, which it names. */
  rejected: (row: Said): Said => ({ en: `rejected: ${row.en}`, es: `rechazada: ${row.es}` }),
  allRefused: (count: number, why: Said, status: number): Said => ({
    en: `the first ${count} rows were all refused: ${why.en} (${status})`,
    es: `se rechazaron todas las primeras ${count} filas: ${why.es} (${status})`,
  }),
  /** `how` is e.g. `in upper case`. */
  met: (how: Said, sent: string, stored: string, id: string): Said => ({
    en: `the service stores codes ${how.en}: it created ${sent} as ${stored}, the code of ${id}`,
    es: `el servicio guarda los códigos ${how.es}: creó ${sent} como ${stored}, el código de ${id}`,
  }),
  notSearchable: (how: Said, code: string): Said => ({
    en: `the service stores codes ${how.en}, and proc cannot search its list for ${code}`,
    es: `el servicio guarda los códigos ${how.es}, y proc no puede buscar ${code} en su lista`,
  }),
  existThatWay: (how: Said, n: number): Said => ({
    en: `the service stores codes ${how.en}, and ${n === 1 ? '1 pending row exists' : `${n} pending rows exist`} in that form (--on-existing fail)`,
    es: `el servicio guarda los códigos ${how.es}, y ${n === 1 ? '1 fila pendiente existe' : `${n} filas pendientes existen`} de esa forma (--on-existing fail)`,
  }),
} as const;

/** The service stores codes in another form. */
export function codesChangedText(how: Said, sent: string, stored: string): Said {
  return {
    en: `the service stores codes ${how.en}: it stored ${sent} as ${stored}`,
    es: `el servicio guarda los códigos ${how.es}: guardó ${sent} como ${stored}`,
  };
}
