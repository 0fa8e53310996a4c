import type { ErrorCode, ProcError } from '../../core/errors.ts';
import type { Lang, Phrase } from '../../core/text/phrase.ts';

/** Errors on a Spanish screen. Loaded when a dialogue first speaks Spanish. */
export const spanishErrors = {
  error: 'error',
  warning: 'aviso',
  hint: 'sugerencia',
  requestId: 'id de la petición',
  more: (count: number) => `… y ${count} más`,
  texts({ code, said: { message, hint } }: ProcError): Texts {
    if (typeof message !== 'string') return { message: message.es, hint: spanish(hint) };
    return { message: `${MEANING[code]} (${quoted(message)})`, hint: spanish(hint) };
  },
};

/** What a dialogue shows of an error that does not end it. */
export function errorTexts(error: ProcError, lang: Lang): Texts {
  const { message, hint } = error;
  return lang === 'es' ? spanishErrors.texts(error) : { message, hint };
}

interface Texts {
  readonly message: string;
  readonly hint: string | undefined;
}

function spanish(text: Phrase | undefined): string | undefined {
  return typeof text === 'string' ? quoted(text) : text?.es;
}

/** A text that nobody has translated, as a quotation: it is not the dialogue that speaks English. */
function quoted(text: string): string {
  return `en inglés: «${text}»`;
}

/** What each error means. A code without its meaning does not compile. */
const MEANING: Readonly<Record<ErrorCode, string>> = {
  bug: 'proc tiene un defecto',
  unknown_command: 'no existe ese comando',
  unknown_flag: 'no existe esa opción',
  invalid_usage: 'un argumento o una opción falta o no es válido',
  invalid_input: 'el contenido no es válido',
  unreadable_file: 'no se puede leer un archivo',
  unknown_field: 'no existe ese campo',
  ambiguous_reference: 'hay varios registros posibles',
  reference_not_found: 'no se encontró',
  confirmation_required: 'hace falta una confirmación',
  declined: 'no se envió ni se cambió nada',
  repeated_write: 'ya se había enviado',
  unsupported_node: 'esta versión de Node.js es demasiado antigua',
  unwritable_output: 'no se puede escribir el resultado',
  sandbox_conflict: 'el sandbox, su puerto o su base de datos están en uso',
  config_unreadable: 'un archivo de proc no es válido o está dañado',
  config_insecure: 'otros usuarios podrían leer o cambiar un archivo con secretos',
  profile_not_found: 'no existe ese perfil',
  environment_not_found: 'el perfil no tiene ese entorno',
  no_target: 'no se eligió un servicio',
  no_credential: 'falta la clave de este servicio',
  credential_conflict: 'hay dos claves para el mismo servicio, o una para dos perfiles',
  credential_origin: 'la clave es de otra dirección u organización y no se envió',
  credential_command: 'falló el comando que da la clave',
  insecure_url: 'con http la clave se enviaría sin cifrar',
  invalid_setting: 'un ajuste o una variable no es válido',
  state_unwritable: 'no se puede escribir en una carpeta de proc',
  unauthorized: 'el servicio no acepta la clave (401)',
  forbidden: 'la clave no da acceso (403)',
  not_found: 'no existe (404)',
  refused: 'el servicio rechazó la petición',
  redirected: 'el servicio remite a otra dirección, y proc no la sigue',
  unreachable: 'no se puede conectar con el servicio; no se envió nada',
  timed_out: 'el servicio no respondió a tiempo',
  service_failed: 'el servicio falló',
  throttled: 'el servicio está ocupado',
  undecodable: 'no se entiende la respuesta del servicio',
  outcome_unknown: 'se envió y no se conoce el resultado',
  incomplete: 'quedó incompleto',
  rows_rejected: 'se rechazaron filas',
  catalogue_unverified: 'la lista puede estar incompleta, así que no se envió nada',
  codes_doubled: 'una fila creada está dos veces en la lista',
  undelivered: 'se hizo, pero no se pudo escribir el resultado',
  import_busy: 'otro proceso importa en el mismo servicio',
  import_unfinished: 'este archivo tiene una importación sin terminar',
  no_ledger: 'el registro de lo enviado está vacío',
  hung_up: 'se cerró la terminal',
  interrupted: 'interrumpido',
  quit: 'se abandonó',
  terminated: 'se terminó',
  unknown_organization: 'este equipo no conoce la organización de esta clave',
  created_not_listed: 'la lista no muestra filas creadas',
  command_not_found: 'no se encontró el comando',
  deadline_passed: 'se acabó el plazo de --deadline',
  wait_timed_out: 'se acabó el plazo de la espera',
  read_only: 'readOnly del entorno, o PROC_READ_ONLY, impide toda escritura',
  plan_changed: 'el plan preparado ya no vale; no se envió nada',
  phase_changed: 'otro comando cambió la importación entretanto, así que este se detuvo',
  ids_restarted: 'los ids empiezan de nuevo: quizá se reinició el servicio',
  code_exists: 'el código ya existe; no se envió nada',
  busy: 'otro proceso está enviando lo mismo',
  once_conflict: 'la clave de --once es de otro registro',
  ledger_unreachable: 'no se puede usar el registro compartido',
  ledger_unsafe: 'el registro compartido puede haber perdido datos',
};
