import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ErrorInit, ProcError } from '../../../src/core/errors.ts';
import { CHECK_FOLDER } from '../../../src/core/machine-errors.ts';
import type { Phrase } from '../../../src/core/text/phrase.ts';
import { runFailure } from '../../../src/import/store/ledger-failure.ts';
import { spanishErrors } from '../../../src/messages/errors/spanish-errors.ts';
import { renderError } from '../../../src/output/render-error.ts';
import { ROOT } from '../../support/run.ts';

function shown(message: Phrase, init: ErrorInit = {}): string {
  const error = new ProcError('not_found', message, init);
  return renderError(error, { json: false, color: false, words: spanishErrors });
}

it('an error speaks the language of the dialogue that it ends', () => {
  const init = {
    hint: { en: 'List them: proc orders list', es: 'Para verlos: proc orders list' },
    requestId: 'r-1',
    details: { candidates: Array.from({ length: 22 }, (_, at) => `PO-${at}`) },
  };
  const text = shown({ en: 'there is no order', es: 'no existe el pedido' }, init);
  expect(text).toMatch(/^error: no existe el pedido\n {2}PO-0\n/);
  expect(text).toMatch(
    /… y 2 más\nsugerencia: Para verlos: proc orders list\nid de la petición: r-1\n$/,
  );
});

it('an error without a Spanish text says what its code means, and quotes the rest', () => {
  expect(shown('no', { hint: 'Try again' })).toBe(
    'error: no existe (404) (en inglés: «no»)\nsugerencia: en inglés: «Try again»\n',
  );
});

it('JSON is English on every screen', () => {
  const error = new ProcError('not_found', { en: 'gone', es: 'no está' });
  const line = renderError(error, { json: true, color: false, words: spanishErrors });
  expect(JSON.parse(line).error.message).toBe('gone');
});

it('a full disk is said in the language of the dialogue', () => {
  const error = runFailure('/state/imports/r.db', { errcode: 13 }) as ProcError;
  expect(renderError(error, { json: false, color: false, words: spanishErrors })).toBe(
    `error: no se puede escribir el registro /state/imports/r.db: el disco está lleno\nsugerencia: ${CHECK_FOLDER.es}\n`,
  );
});

/** Errors of arguments, and those for which nobody can be asked, end a command before a dialogue begins. */
const ENGLISH =
  /new ProcError\((?!\s*(?:'(?:invalid_usage|unknown_field|confirmation_required|no_ledger)'|thrown\.code))/;

/** They end a command before its first question, read files that are no imports, or hand on what others say. */
const NO_DIALOGUE = [
  'map/saved-map',
  'reconcile/resolve/decision-file',
  'report/conclude',
  'resume/which-run',
  'review/read-statement',
  'review/statement-run',
  'source/identify',
  'source/table-file',
  'store/ledger-failure',
  'store/run-database',
  'store/run-file',
  'store/runs',
];

const ROOMS = 'map plan reconcile report resume review source stage start store'.split(' ');

it.each(ROOMS)(
  'refusals of imports have Spanish, because a dialogue may end with them: %s',
  (room) => {
    const folder = join(ROOT, 'src/import', room);
    const english = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .filter((file) => ENGLISH.test(readFileSync(join(folder, file), 'utf8')))
      .map((file) => `${room}/${file.slice(0, -3)}`);
    expect(english.filter((file) => !NO_DIALOGUE.includes(file))).toEqual([]);
  },
);

it.each(['kind', 'map/mapping-flags', 'review/statement', 'review/send-staged'])(
  'mistakes of flags that show only once a file is read have Spanish too: %s',
  (file) => {
    const text = readFileSync(join(ROOT, `src/import/${file}.ts`), 'utf8');
    expect(text).not.toContain('new ProcError(');
  },
);
