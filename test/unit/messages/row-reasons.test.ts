import { describe, expect, it } from 'vitest';
import { check, show } from '../../../src/core/validate.ts';
import { convert } from '../../../src/import/map/convert.ts';
import { reasonIn } from '../../../src/messages/row-reasons.ts';
import { createRequisition } from '../../../src/nouns/requisition/api.ts';

/** Words that no Spanish sentence has, outside of quoted text. */
const ENGLISH =
  /\b(the|is|are|was|has|have|must|row|line|got|and|or|of|not|with|but|too|its|expected|found|contains|empty|sent|text)\b/i;

function isSpanish(reason: string, status: number | null = null): void {
  const said = reasonIn('es', reason, status);
  expect(said.replace(/"(?:[^"\\]|\\.)*"|«[^»]*»/g, '""'), reason).not.toMatch(ENGLISH);
  expect(reasonIn('en', reason, status)).toBe(reason);
}

describe('reasons in Spanish', () => {
  it.each([
    'the same as row 4',
    'already sent by run 20260301-093000-1a2b (organization not recorded), where it is unconfirmed',
    'already sent by the command 12 in the history and dropped',
    'dropped in run 20260301-093000-1a2b',
    'column "Codigo" is empty',
    'all mapped columns are empty',
    'this row cannot be sent',
    'has no code, so a second import could not recognize it (--allow missing, --no-code name)',
    'name: is empty; proc does not send items without a name, because items cannot be deleted (--allow missing)',
    'code: 1.2E+10 is a long number that a spreadsheet shortened: its other digits are lost',
    'code: 1.2E+10 is a long number that a spreadsheet shortened: some digits are lost',
    'code: the cell contains the spreadsheet error #N/A (--allow error-values)',
    'name: contains the control character U+0007 (--allow invisible)',
    '_row: is not a row number of that run; restore the original value',
    '_row: is not a row number of run 20260301-093000-1a2b; restore the original value',
    '_run: belongs to run a, but the rows before it belong to run b; import the rows of one run at a time',
    'is unchanged since it was rejected (a.csv, line 3: a quote is opened but never closed); correct its cells. If they are right, empty the column _raw',
    // Reasons in runs of earlier versions.
    'is unchanged (a.csv, line 3: a quote is opened but never closed); correct its cells, or empty the column _raw if they are right',
    'is unchanged (a.csv, line 3: a quote is opened but never closed); correct its cells; if they are right, empty the column _raw',
    'row 2, line 3: quantity: column "Qty": must be a whole number like 12, got "four"',
    'row 2, line 3: needs item.code, item.id or item.name',
    'title differs: "a" in row 1, line 2, "b" in row 2, line 3',
    'its rows together are longer than 1 MiB',
    'a.csv, line 3: has 4 cells, but the header has 2',
    'a.csv, line 123: name: is not UTF-8 text (byte 0xF1) at character 3',
    'a.csv, line 3: text follows a closing quote in cell 2; a quote inside a cell must be doubled',
    'a.json, line 3, column 4: expected "," or "}"',
    'a.json, line 3, column 4: duplicate field "code"',
    'a.json, line 3, column 4: expected a value, found "x"',
    'a.json, row 3: must be a JSON object, got an array of 2',
    'the file ends in the middle of row 7',
    'the gzip data is damaged from here',
    'item: "X": no item has this code or id',
    'item: no item has the code "X"',
    'order: "X" matches 2 entries: po-1 (A), po-2 (B); use one of: id=po-1 or id=po-2',
    'currency: the order has no currency',
    'groups[0].items[1].item.code: "A" is "Bolt" (im-1) in the catalogue, not "Bolts" (and 2 more problems) (--items-in-place)',
    'groups[0].items[1].item.code: 2 lines define "A", and each would create its own item (--items-in-place)',
    'no response; a look-up cannot tell: itm-7, which others created, has its key',
    'the service returned the code A-9; a look-up cannot tell: no record has its key, but the service may have created it under another key',
    'amount: must be at least …, got …',
  ])('says %j', (reason) => isSpanish(reason));

  it.each([
    ['12,5', 'integer', undefined],
    ['1.000', 'number', undefined],
    ['1,5', 'number', undefined],
    ['1.2.3', 'number', ','],
    [{}, 'string', undefined],
    ['0.12345678901234567890', 'number', '.'],
    ['99999999999999999999', 'integer', undefined],
  ] as const)('says what is wrong with %j', (value, kind, decimal) =>
    isSpanish(`amount: ${convert(value, kind, decimal).problem}`),
  );

  it.each([{}, { title: 3 }, { title: 'a', groups: [] }, { title: 'a', groups: [{ items: 'x' }] }])(
    'says how %j breaks the contract',
    (body) => {
      const { issues } = check(createRequisition.body, body);
      expect(issues.length, show(body)).toBeGreaterThan(0);
      for (const { field, message } of issues) isSpanish(`${field}: ${message}`);
    },
  );

  it.each([
    ['the service returned 500', 500, 'el servicio respondió 500'],
    [
      'the service returned 500: is required; see the logs',
      500,
      'el servicio respondió 500: «is required; see the logs»',
    ],
    ['code must be text, got 3', 422, 'el servicio dice: «code must be text, got 3»'],
    [
      'name is required; the response may belong to another row; a look-up cannot tell: the list may be incomplete',
      422,
      'el servicio dice: «name is required»; la respuesta puede ser de otra fila; no se puede averiguar buscándola: la lista puede estar incompleta',
    ],
    [
      'its code is taken (409), but the service cannot list created records',
      409,
      'su code ya existe (409), pero el servicio no puede listar los registros creados',
    ],
    [
      'no response; a look-up cannot tell: the service stores a code that differs from the one sent',
      null,
      'sin respuesta; no se puede averiguar buscándola: el servicio guarda un valor de code distinto del enviado',
    ],
    [
      'no response; a look-up cannot tell: 2 created rows are missing from the list, or have another code there: A-1 (itm-1), A-2 (itm-2)',
      null,
      'sin respuesta; no se puede averiguar buscándola: 2 filas creadas faltan en la lista o tienen allí otro valor de code: A-1 (itm-1), A-2 (itm-2)',
    ],
    [
      'no response; a look-up cannot tell: 1 created row is missing from the list, or has another name there: Nut (itm-1)',
      null,
      'sin respuesta; no se puede averiguar buscándola: 1 fila creada falta en la lista o tiene allí otro valor de name: Nut (itm-1)',
    ],
    [
      'no response; a look-up cannot tell: the list does not show 2 created rows under the code that was sent: A-1 (itm-1), A-2 (itm-2)',
      null,
      'sin respuesta; no se puede averiguar buscándola: la lista no muestra 2 filas creadas con el valor de code que se envió: A-1 (itm-1), A-2 (itm-2)',
    ],
    [
      'no response; a look-up cannot tell: the list does not show 1 created row under the name that was sent: Nut (itm-1)',
      null,
      'sin respuesta; no se puede averiguar buscándola: la lista no muestra 1 fila creada con el valor de name que se envió: Nut (itm-1)',
    ],
    [
      'no response; a look-up cannot tell: a record has a similar code: a1 (itm-1)',
      null,
      'sin respuesta; no se puede averiguar buscándola: un registro tiene un valor parecido de code: a1 (itm-1)',
    ],
    [
      'the response has the encoding gzip, which proc did not request',
      200,
      'la respuesta tiene la codificación gzip, que proc no pidió',
    ],
    [
      'the response is encoded (gzip), although proc did not ask for that',
      200,
      'la respuesta tiene la codificación gzip, que proc no pidió',
    ],
    [
      'no response; a look-up cannot tell: the service changes every code',
      null,
      'sin respuesta; no se puede averiguar buscándola: el servicio guarda un valor de code distinto del enviado',
    ],
    [
      'sent 5 times and never created: the service returned 503: busy',
      null,
      'se envió 5 veces y nunca se creó: el servicio respondió 503: «busy»',
    ],
    [
      'the connection broke (ECONNRESET) before the response was complete',
      null,
      'la conexión se cortó (ECONNRESET) antes de que la respuesta estuviera completa',
    ],
    [
      'the run was stopped while this row was being sent; a look-up cannot tell: 2 new records have its key (a, b), and 2 unconfirmed rows share it',
      null,
      'la importación se detuvo mientras se enviaba esta fila; no se puede averiguar buscándola: 2 registros nuevos tienen su clave (a, b), y la comparten 2 filas sin confirmar',
    ],
    [
      'no response; a look-up cannot tell: the list has 1 new record of unknown origin (itm-7), which may be this row with a changed code or name',
      null,
      'sin respuesta; no se puede averiguar buscándola: la lista tiene 1 registro nuevo de origen desconocido (itm-7), que puede ser esta fila con otro código o nombre',
    ],
    [
      'no response; a look-up cannot tell: the list has 2 new records of unknown origin (itm-7, itm-8), one of which may be this row with a changed code or name',
      null,
      'sin respuesta; no se puede averiguar buscándola: la lista tiene 2 registros nuevos de origen desconocido (itm-7, itm-8); uno de ellos puede ser esta fila con otro código o nombre',
    ],
  ])('keeps what the service says, quoted: %j', (reason, status, expected) => {
    expect(reasonIn('es', reason, status)).toBe(expected);
    isSpanish(reason, status);
  });
});
