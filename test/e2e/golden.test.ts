import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { type Line, type Place, type Reply, type Scene, transcript } from '../support/golden.ts';
import { workbook } from '../support/workbook.ts';

const csv = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const items = (...lines: readonly string[]): string => csv('code,name', ...lines);
const amounts = (...lines: readonly string[]): string =>
  csv('reference,amount,contractId', ...lines);
const ndjson = (...records: readonly object[]): string =>
  csv(...records.map((one) => JSON.stringify(one)));

/** Previews of files, one line each. */
const previews = (
  noun: string,
  names: readonly string[],
  flags: Readonly<Record<string, string>> = {},
): Line[] =>
  names.map((name) => [name, `${noun} import ${name} --dry-run ${flags[name] ?? ''}`.trim()]);

const sheet = (...rows: Parameters<typeof workbook>[0][string]) => workbook({ Items: rows });
const HEAD = ['code', 'name'];

const requisition = (title: string, ...lines: readonly object[]) => ({
  title,
  groups: [{ deliveryMethod: 'pickup', items: lines }],
});
const line = (code: string | undefined, name: string, quantity = 1) => ({
  quantity,
  item: { code, name },
});

const refusals: readonly Reply[] = [
  { status: 400, body: { type: 'about:blank', title: 'Invalid', detail: 'the unit is unknown' } },
  { status: 400, body: { message: 'the name is bad' } },
  { status: 422, body: { error: 'unit' } },
  { status: 422, body: { errors: [{ field: 'name', message: 'too long' }, { message: 'no' }] } },
  { status: 400, body: ['first', 'second'] },
  { status: 400, body: 'plain text', headers: { 'content-type': 'text/plain' } },
  { status: 404, body: '<html><h1>Not here</h1></html>' },
  { status: 413 },
  { status: 403, body: { error: { message: 'not yours' } } },
  { status: 409, body: { message: 'taken' } },
];

const LATER = (place: Place) => {
  place.service.state.reply = () => undefined;
};
const damage =
  (nth: number) =>
  ({ world, runs }: Place) =>
    writeFile(join(world.stateDir, 'imports', `${runs[nth - 1]}.db`), 'no database');

const SCENES: readonly Scene[] = [
  {
    title: 'items from plan to end',
    files: {
      'a.csv': csv(
        'code,name,description,Extra',
        'A-1,Bolt,new,x',
        'E-1,Existing bolt,exists,x',
        'A-1,Bolt,new,x',
        'A-2,,no name,x',
        ',Nut,no code,x',
        'A-3,Wheel,new,x',
      ),
    },
    books: { items: [{ id: 'old-1', code: 'E-1', name: 'Existing bolt' }] },
    lines: [
      ['no runs', 'imports list'],
      ['no run to resume', 'imports resume'],
      ['plan', 'items import a.csv --dry-run'],
      ['plan as table', 'items import a.csv --dry-run -o table'],
      ['plan as ndjson', 'items import a.csv --dry-run -o ndjson'],
      ['plan as yaml', 'items import a.csv --dry-run -o yaml'],
      ['plan file', 'items import a.csv --dry-run --plan plan.csv -q create'],
      ['plan file as ndjson', 'items import a.csv --dry-run --plan plan.ndjson -q create'],
      ['not confirmed', 'items import a.csv'],
      ['not confirmed, text', 'items import a.csv -o table'],
      ['too many', 'items import a.csv --yes --max-create 1'],
      ['too many rejected', 'items import a.csv --yes --max-rejected 20%'],
      ['none may be rejected', 'items import a.csv --yes --max-rejected 0'],
      ['existing is a failure', 'items import a.csv --yes --on-existing fail'],
      ['names as keys', 'items import a.csv --dry-run --no-code name -q samples'],
      ['missing is allowed', 'items import a.csv --dry-run --allow missing -q samples'],
      ['some rows', "items import a.csv --dry-run --where 'description=new' -q samples"],
      ['offline', 'items import a.csv --dry-run --offline -q [catalogue,create]'],
      ['run', 'items import a.csv --yes --results out.csv --rejected left.csv'],
      ['again', 'items import a.csv --yes --results out.ndjson -o table'],
      ['list', 'imports list'],
      ['list as table', 'imports list -o table'],
      ['list of ids', 'imports list -o id --where state=finished'],
      ['show', 'imports show RUN1'],
      ['show as table', 'imports show RUN1 -o table'],
      ['rows', 'imports rows RUN1'],
      ['rows as table', 'imports rows RUN1 -o table'],
      ['rows as csv', 'imports rows RUN1 -o csv --state rejected'],
      ['rows of a reason', "imports rows RUN1 --where 'reason~code' --fields row,line,reason"],
      ['report', 'imports report RUN1'],
      ['report in Spanish', 'imports report RUN1 --lang es'],
      ['report as json', 'imports report RUN1 -o json'],
      ['report of created rows', 'imports report RUN1 --created --out r.md'],
      ['resume a finished run', 'imports resume RUN1'],
      ['nothing to resolve', 'imports resolve RUN1 --drop --all --yes'],
      ['a row that is not unconfirmed', 'imports resolve RUN1 1 --adopt new-A-1'],
      ['send a run that was not staged', 'imports send RUN1 --yes'],
      ['no statement', 'imports show RUN1 --statement a.statement'],
      ['no such run', 'imports show 20200101'],
      ['history', 'history list'],
      ['history of an import', 'history show ENTRY1'],
      ['history as csv', 'history export -o csv --fields what,state,actor,path'],
      ['prune recent runs', 'imports prune --yes'],
      ['prune preview', 'imports prune --older-than 0d --dry-run'],
      ['discard preview', 'imports discard RUN1 --dry-run'],
      ['discard', 'imports discard RUN1 --yes'],
      ['prune', 'imports prune --older-than 0d --yes'],
      ['nothing left', 'imports list -o table'],
    ],
  },
  {
    title: 'flags with mistakes',
    files: { 'a.csv': items('A-1,Bolt') },
    lines: [
      ['unknown name', 'items import a.csv --allow mising'],
      ['old flag', 'items import a.csv --unverified create'],
      ['unknown setting', 'items import a.csv --tune setle=5s'],
      ['concurrency', 'items import a.csv --tune concurrency=many'],
      ['settle', 'items import a.csv --tune settle=soon'],
      ['another setting', 'items import a.csv --tune pace=5'],
      ['a setting twice', 'items import a.csv --tune settle=1s,settle=2s'],
      ['a second unknown name', 'items import a.csv --allow missing,everything'],
      ['no code', 'items import a.csv --no-code maybe'],
      ['max rejected', 'items import a.csv --max-rejected 150%'],
      ['max rejected as a word', 'items import a.csv --max-rejected half'],
      ['rate', 'items import a.csv --rate fast'],
      ['offline', 'items import a.csv --yes --offline'],
      ['no map file', 'items import a.csv --map-file none.json --yes'],
      ['plan without ending', 'items import a.csv --dry-run --plan plan'],
      ['no file', 'items import none.csv --yes'],
      ['no argument', 'items import --yes'],
      ['a folder', 'items import . --yes'],
      ['on-sent for items', 'items import a.csv --on-sent skip'],
    ],
  },
  {
    title: 'mapping',
    files: {
      'other.csv': csv('SKU,Model,Color,Note', 'S-1,Bolt,red,x', 'S-2,Nut,blue,'),
      'alike.csv': csv('SKU;Nombre;Unidad', 'S-1;Perno;UN'),
      'sizes.csv': csv('Part,Size,Nombre', 'P-1,small,Bolt', 'P-2,small,Nut', 'P-1,large,Bolt'),
      'erp.csv': csv('Código;Unidad', 'D-1;UN'),
      'text.csv': csv('code,text,text', 'A-1,Perno,Bolt'),
      'nameless.csv': csv('code,description', 'N-1,x', 'N-2,y'),
      'deep.json': '{"ok":true,"data":{"products":[{"code":"J-1","name":"Bolt"}]}}',
      'two.json': '{"a":[{"code":"J-1"}],"b":[{"code":"J-2"}]}',
      'filled.csv': csv('code,name,brand', 'A-1,Bolt,Contoso', 'A-2,Nut,', 'A-3,Rod,Fabrikam'),
    },
    lines: [
      ['no proposal', 'items import other.csv --dry-run'],
      ['a proposal', 'items import alike.csv --set brand=Contoso'],
      ['a proposal in Spanish', 'items import alike.csv -o table --lang es'],
      ['no proposal, text', 'items import other.csv -o table'],
      ['unknown columns', "items import other.csv --map code=SKUU --map 'name={Modell} {Color}'"],
      ['unknown field', 'items import other.csv --map cde=SKU --map name=Model'],
      [
        'a template',
        "items import other.csv --map code=SKU --map 'name={Model} {Color}' --set brand=Contoso --dry-run --save-map map.json --plan plan.csv",
      ],
      ['an expression', "items import other.csv --map code=SKU --map 'name=jmes:Model' --dry-run"],
      ['a bad expression', "items import other.csv --map code=SKU --map 'name=jmes:[[' --dry-run"],
      ['the map file', 'items import other.csv --map-file map.json --yes'],
      ['the key repeats', 'items import sizes.csv --yes'],
      ['no column for the name', 'items import erp.csv --yes'],
      ['columns with one name', 'items import text.csv --map name=text --dry-run'],
      ['by position', "items import text.csv --map 'name=#3' --dry-run -q samples"],
      ['name unmapped', 'items import nameless.csv --dry-run'],
      ['name unmapped, strict', 'items import nameless.csv --strict --allow missing --yes'],
      ['one array', 'items import deep.json --dry-run -q create'],
      ['two arrays', 'items import two.json --dry-run'],
      ['a path', 'items import two.json --path b --map name=code --dry-run'],
      ['no such path', 'items import two.json --path c --dry-run'],
      [
        'fill down',
        'items import filled.csv --fill-down brand --dry-run --plan plan.csv -q create',
      ],
      ['empty words', 'items import filled.csv --null Contoso --dry-run --plan plan.csv -q create'],
    ],
  },
  {
    title: 'damaged files',
    files: {
      'cells.csv': csv('code,name,brand', 'A-1,Bolt', 'A-2,Nut,M8,x', 'A-3,Rod,x'),
      'quotes.csv': csv('code,name', 'A-1,"Said "so"', 'A-2,Nut', 'A-3,"never closed'),
      'nul.csv': items('A-1,Bo\0lt', 'A-2,Nut'),
      'latin.csv': Buffer.from('code,name\nA-1,ca\xf1o\n', 'latin1'),
      'utf16.csv': Buffer.from('code,name\nA-1,Bolt\n', 'utf16le'),
      'empty.csv': '',
      'header.csv': 'code,name\n',
      'title.csv': csv('Stock of May', '', 'code,name', 'A-1,Bolt'),
      'twice.csv': csv('code,code,name', 'A-1,A-2,Bolt'),
      'broken.ndjson': csv('{"code":"N-1","name":"x"}', '{"code":"N-2","name":}', '[1]', '{'),
      'comma.json': '[{"code":"J-1","name":"x"},{"code":"J-2","name":"y",},]',
      'fields.json': '[{"code":"J-1","name":"x","name":"y"},{"code":"J-2","n":1e999}]',
      'cut.json': '[{"code":"J-1","name":"x"},{"code":"J-',
      'cut.csv': 'code,name\nA-1,Bolt\nA-2,"Nut',
      'cut.csv.gz': gzipSync(items('A-1,Bolt', 'A-2,Nut')).subarray(0, 30),
      'object.json': '{"code":"J-1","name":"x"}',
      'text.json': 'code: J-1',
      'page.csv': '<!DOCTYPE html><html><body>Sign in</body></html>',
      'book.csv': sheet(HEAD, ['A-1', 'Bolt']),
      'bad.xlsx': 'PK\u0003\u0004 no workbook',
      'report.pdf': '%PDF-1.7\nno data',
    },
    lines: [
      ...previews(
        'items',
        [
          ...['cells.csv', 'quotes.csv', 'nul.csv', 'latin.csv', 'utf16.csv', 'empty.csv'],
          ...['header.csv', 'title.csv', 'twice.csv', 'broken.ndjson', 'comma.json'],
          ...['fields.json', 'cut.json', 'cut.csv', 'cut.csv.gz', 'object.json', 'text.json'],
          ...['page.csv', 'book.csv', 'bad.xlsx', 'report.pdf'],
        ],
        { 'cells.csv': '--map name=name --map code=code' },
      ),
      ['header row', 'items import title.csv --header-row 3 --dry-run -q samples'],
      ['encoding', 'items import latin.csv --encoding windows-1252 --dry-run -q samples'],
      ['incomplete, allowed', 'items import cut.json --allow incomplete --dry-run'],
      ['unreadable rows', 'items import broken.ndjson --yes'],
      ['their report', 'imports report RUN1 --lang es'],
      ['their repair, unchanged', 'items import broken.rejected.ndjson --yes'],
    ],
  },
  {
    title: 'workbooks',
    files: {
      'sheets.xlsx': workbook({
        Old: [HEAD, ['X-1', 'Old']],
        Data: [HEAD, ['A-1', 'Bolt']],
        Notes: [['by me']],
      }),
      'cells.xlsx': workbook(
        {
          Items: [
            [...HEAD, 'brand'],
            [{ zeros: 123 }, 'Zeros'],
            [{ digits: '1234567890123456' }, 'Sixteen digits'],
            [{ error: '#REF!' }, 'Nut'],
            ['A-4', { error: '#N/A' }],
            [new Date('2026-03-12T00:00:00Z'), 'A date'],
            ['A-6', 'Hidden'],
            ['A-7', true],
          ],
        },
        { rows: [7], columns: [3] },
      ),
    },
    lines: [
      ['sheets with the same columns', 'items import sheets.xlsx --dry-run'],
      ['all sheets', "items import sheets.xlsx --sheet '*' --dry-run"],
      ['no such sheet', 'items import sheets.xlsx --sheet Dta --dry-run'],
      ['signs of a workbook', 'items import cells.xlsx --dry-run'],
      ['rejected', 'items import cells.xlsx --yes'],
    ],
  },
  {
    title: 'codes and rows that are no data',
    files: {
      'codes.csv': items(
        ...['A-1,Bolt', '7.50101E+12,Science', '=SUM(1),Formula', 'N/A,Placeholder', '#N/A,Error'],
        ...['A\u200b2,Invisible', 'A-3,Cont\u0007rol', '12-Mar,Date', 'A-4,#REF!', 'A-5,?'],
        ...["'A-6,Guard", 'A-7,VÃ¡lvula', 'A-8,Bolt &amp; nut', 'A-9,N\ufffdt'],
      ),
      'zeros.csv': items('00123,a', '00456,b', '789,c', '01011,d'),
      'totals.csv': csv(
        ...[
          'code,name,brand',
          ',text,',
          'A-1,Bolt,x',
          'code,name,brand',
          '---,---,---',
          'A-2,Nut,y',
        ],
        ...['Total,2,', ',Total general:,1', 'Printed by me on 1 May,,'],
      ),
    },
    lines: [
      ...previews('items', ['codes.csv', 'zeros.csv', 'totals.csv']),
      ['strict', 'items import zeros.csv --strict --yes'],
      [
        'allowed',
        'items import codes.csv --allow error-values,invisible,formula-codes --dry-run -q [create,invalid]',
      ],
      ['data after all', 'items import totals.csv --allow non-data,missing --dry-run -q samples'],
      ['in Spanish', 'items import codes.csv --lang es --yes'],
      ['report in Spanish', 'imports report RUN1 --lang es'],
    ],
  },
  {
    title: 'amounts',
    files: {
      'cells.csv': amounts(
        ...['R-1,12.50,c', 'R-2,x,c', 'R-3,1.2.3,c', 'R-4,,c', 'R-5,0,c', 'R-6,12.50,', 'R-7,5%,c'],
        ...['R-8,12345678901234567890,c', 'R-9,$ 5,c', 'R-10,(5),c', 'R-11,#VALUE!,c', ',7,c'],
      ),
      'either.csv': csv('reference;amount;contractId', 'R-1;1.000;c', 'R-2;2.000;c'),
      'marks.csv': csv(
        'reference;amount;contractId',
        'R-1;1.234,50;c',
        'R-2;1,234.50;c',
        'R-3;1.000;c',
      ),
      'types.ndjson': ndjson(
        { reference: 1, amount: '1', contractId: 'c' },
        { reference: 'R-2', amount: true, contractId: ['c'] },
        { reference: 'R-3', amount: 3, contractId: 'c', notes: { a: 1 } },
      ),
    },
    lines: [
      ...previews('imputations', ['cells.csv', 'either.csv', 'marks.csv', 'types.ndjson']),
      ['decimal', 'imputations import either.csv --decimal , --dry-run --plan p.csv -q create'],
      ['mixed marks allowed', 'imputations import marks.csv --allow mixed-marks --dry-run'],
      ['no ledger', 'imputations import cells.csv --yes'],
      ['rejected', 'imputations import cells.csv --yes --first-run'],
      ['report in Spanish', 'imports report RUN1 --lang es'],
    ],
  },
  {
    title: 'rows with one code, and twins',
    files: {
      'twice.csv': items('T-1,First', 'T-2,Other', 'T-1,Last', 'T-2,Other'),
      'twins.csv': items(
        'A-1,Bolt',
        'a-1,Bolt',
        'B 2,Nut',
        'B\u00a02,Nut',
        'HB–12,Bar',
        'hb-13,Bar',
      ),
      'names.csv': items('HB-12,Bar of steel', 'HB-13,Nothing alike'),
    },
    books: {
      items: [
        { id: 'old-1', code: 'HB-12', name: 'Bar' },
        { id: 'old-2', code: 'HB-13', name: 'Bar' },
        { id: 'old-3', code: 'HB-13', name: 'Bar again' },
      ],
    },
    lines: [
      ['differ', 'items import twice.csv --yes'],
      ['first', 'items import twice.csv --dry-run --on-duplicate first -q samples'],
      ['last', 'items import twice.csv --dry-run --on-duplicate last -q samples'],
      ['all', 'items import twice.csv --dry-run --on-duplicate all -q samples'],
      ['twins', 'items import twins.csv --dry-run'],
      ['twins sent', 'items import twins.csv --yes'],
      ['twins, strict', 'items import twins.csv --strict --yes'],
      ['look-alikes allowed', 'items import twins.csv --allow look-alikes --yes'],
      ['other names', 'items import names.csv --dry-run'],
      ['report', 'imports report RUN1'],
    ],
  },
  {
    title: 'refused by the service',
    files: { 'a.csv': items(...refusals.map((_, at) => `X-${at},Row ${at}`), 'X-10,Good') },
    replies: ({ code }) => refusals[Number(String(code).slice(2))],
    lines: [
      ['run', 'items import a.csv --yes --results out.csv'],
      ['rows', 'imports rows RUN1 --fields row,state,status,reason'],
      ['report', 'imports report RUN1'],
      ['report in Spanish', 'imports report RUN1 --lang es'],
      [
        'stopped by a limit',
        'items import a.csv --yes --max-rejected 2 --rejected b.csv -q [created,rejected,pending]',
      ],
    ],
  },
  {
    title: 'repaired rows',
    files: { 'a.csv': csv('SKU;Name', '007;BAD bolt', '008;BAD', '009;Good', '010') },
    replies: ({ name }) =>
      String(name).startsWith('BAD') ? { status: 400, body: { message: 'bad name' } } : undefined,
    lines: [
      ['run', 'items import a.csv --map code=SKU --map name=Name --yes'],
      ['unchanged', 'items import a.rejected.csv --yes'],
      ({ world, runs: [run] }) =>
        Promise.all([
          world.file('code.csv', csv('SKU;Name;_run;_row', `7;Bolt;${run};1`, `008;Nut;${run};2`)),
          world.file('norow.csv', csv('SKU;Name;_run', `007;Bolt;${run}`)),
          world.file(
            'rows.csv',
            csv(
              'SKU;Name;_run;_row',
              `007;Bolt;${run};1`,
              `008;Nut;20200101-000000-0000;2`,
              `9;x;${run};z`,
            ),
          ),
          world.file('other.csv', csv('SKU;Name;_run;_row', '1;x;20200101-000000-0000;1')),
          world.file(
            'fixed.csv',
            csv('SKU;Name;_run;_row', `007;Bolt;${run};1`, `008;BAD;${run};2`),
          ),
        ]),
      ['a changed code', 'items import code.csv --yes'],
      ['no column _row', 'items import norow.csv --yes'],
      ['rows of other runs', 'items import rows.csv --dry-run'],
      ['a run of another machine', 'items import other.csv --dry-run'],
      ['as another noun', 'imputations import fixed.csv --yes --first-run'],
      ['fixed', 'items import fixed.csv --yes'],
      ['the first run', 'imports show RUN1'],
      ['the second run', 'imports rows RUN4 --fields row,state,code,reason'],
    ],
  },
  {
    title: 'stopped and resumed',
    files: { 'a.csv': items('X-1,a', 'X-2,b', 'X-3,c', 'X-4,d', 'X-5,e') },
    replies: (_, nth) => (nth > 2 ? { status: 401, body: { message: 'key expired' } } : undefined),
    lines: [
      ['stopped', 'items import a.csv --yes --results out.csv'],
      ['unfinished', 'imports list -o table'],
      ['the same file again', 'items import a.csv --yes'],
      ['rows', 'imports rows RUN1 -o table'],
      ['report', 'imports report RUN1'],
      ['report in Spanish', 'imports report RUN1 --lang es'],
      ['discard asks', 'imports discard RUN1'],
      ['prune keeps it', 'imports prune --older-than 0d --yes'],
      ['still stopped', 'imports resume'],
      LATER,
      ({ service }) => service.lists.items!.push({ id: 'other-1', code: 'X-4', name: 'd' }),
      ['preview', 'imports resume --dry-run'],
      ['resumed', 'imports resume RUN1 --results out2.csv'],
      ['finished', 'imports show RUN1'],
    ],
  },
  {
    title: 'stopped by existing rows',
    files: { 'a.csv': items('X-1,a', 'X-2,b', 'X-3,c') },
    replies: (_, nth) => (nth > 1 ? { status: 401 } : undefined),
    lines: [
      ['stopped', 'items import a.csv --yes --on-existing fail'],
      LATER,
      ({ service }) => service.lists.items!.push({ id: 'other-1', code: 'X-3', name: 'c' }),
      ['resume', 'imports resume RUN1'],
      ({ service }) => {
        service.state.isUnpaged = true;
      },
      ['unverified', 'imports resume RUN1'],
    ],
  },
  {
    title: 'lost responses of items',
    files: {
      'a.csv': items('X-1,reset', 'X-2,error', 'X-3,no id', 'X-4,text', 'X-5,absent', 'X-6,good'),
      'b.csv': items('Y-1,twice', 'Y-2,never', 'Y-3,accepted'),
    },
    replies: ({ name }, nth) =>
      (
        ({
          reset: { isLost: true, isStored: true },
          error: { status: 500, body: { message: 'boom' }, isStored: true },
          'no id': { body: {} },
          text: { body: '<html>' },
          absent: nth < 7 ? { status: 502 } : undefined,
          twice: { isLost: true, isStored: true },
          never: { status: 500, body: { message: 'boom' } },
          accepted: { status: 202, body: {}, isStored: false },
        }) as Readonly<Record<string, Reply | undefined>>
      )[String(name)],
    lines: [
      ['found', 'items import a.csv --yes'],
      ({ service }) => service.lists.items!.push({ id: 'i-99', code: 'Y-9', name: 'z' }),
      ['parked', 'items import b.csv --yes'],
      ['rows', 'imports rows RUN2 --fields row,state,id,status,reason'],
      ['report in Spanish', 'imports report RUN2 --lang es'],
      ['resolve', 'imports resolve RUN2 --drop --all --yes'],
    ],
  },
  {
    title: 'answers that contradict',
    files: {
      'a.csv': items('X-1,a', 'X-2,b', 'X-3,c'),
      'm.csv': amounts('R-1,1,c', 'R-2,2,c', 'R-3,3,c'),
    },
    replies: (body, nth) =>
      'code' in body
        ? { body: { ...body, id: `u-${nth}`, code: String(body.code).toLowerCase() } }
        : body.reference === 'R-2'
          ? { body: { ...body, id: 'im-2', amount: 99 } }
          : undefined,
    lines: [
      ['codes changed by the service', 'items import a.csv --yes'],
      ['another amount', 'imputations import m.csv --yes --first-run'],
      ['its rows', 'imports rows RUN2 --fields row,state,reason'],
      ['its report', 'imports report RUN2 --lang es'],
      ['resume', 'imports resume RUN2'],
      ['history', 'history list --fields what,state,status,message'],
    ],
  },
  {
    title: 'a busy service',
    files: { 'a.csv': items('X-1,a', 'X-2,b', 'X-3,c') },
    replies: (_, nth) =>
      nth > 1 ? { status: 503, headers: { 'retry-after': '3600' } } : undefined,
    lines: [
      [
        'longer than the patience',
        'items import a.csv --yes --tune concurrency=1,settle=20ms,patience=1m -q [created,pending,unconfirmed]',
      ],
      LATER,
      ['resumed', 'imports resume RUN1 -q [created,pending,unconfirmed]'],
    ],
  },
  {
    title: 'unreachable',
    files: { 'a.csv': items('X-1,a') },
    env: { PROC_BASE_URL: 'http://127.0.0.1:9/api/v1' },
    lines: [
      ['preview', 'items import a.csv --dry-run --retries 0'],
      ['import', 'items import a.csv --yes --retries 0'],
      ['no run is left', 'imports list'],
    ],
  },
  {
    title: 'lists that fail or prove nothing',
    files: { 'a.csv': items('X-1,a', 'X-40,b') },
    books: {
      items: Array.from({ length: 30 }, (_, n) => ({
        id: `o-${n}`,
        code: `O-${n}`,
        name: `Old ${n}`,
      })),
    },
    lines: [
      ({ service }) => {
        service.state.isUnpaged = true;
      },
      ['unverified plan', 'items import a.csv --dry-run'],
      ['unverified', 'items import a.csv --yes'],
      ['allowed', 'items import a.csv --yes --allow unverified'],
      ({ service }) => {
        service.state.read = () => ({ status: 403, body: { message: 'not yours' } });
      },
      ['forbidden', 'items import a.csv --yes --map name=name'],
    ],
  },
  {
    title: 'unconfirmed rows of imputations',
    files: {
      'a.csv': amounts('A,1,c', 'LOST-1,2,c', 'LOST-2,3,c', 'LOST-3,4,c', 'B,5,c'),
      'b.csv': amounts('A,1,c', 'LOST-2,3,c', 'C,6,c'),
      'wrong.csv': csv(
        'row,outcome,id',
        '2,adopt,',
        '3,keep,',
        '9,drop,',
        '4,drop,im-9',
        '1,drop,',
      ),
      'columns.csv': csv('row,result', '2,drop'),
      'some.csv': csv('row,outcome,id', '2,adopt,im-77', '3,resend,', '4,,'),
    },
    replies: ({ reference }) =>
      String(reference).startsWith('LOST') ? { status: 500, body: { message: 'boom' } } : undefined,
    lines: [
      ['run', 'imputations import a.csv --yes --first-run'],
      ['rows', 'imports rows RUN1'],
      ['rows to fill in', 'imports rows RUN1 --state unconfirmed -o csv'],
      ['list', 'imports list --fields run,state,unconfirmed'],
      ['report', 'imports report RUN1'],
      ['report in Spanish', 'imports report RUN1 --lang es'],
      ['resume', 'imports resume RUN1'],
      ['resume without a name', 'imports resume'],
      ['sent before', 'imputations import b.csv --yes'],
      ['sent before, preview', 'imputations import b.csv --dry-run --on-sent skip'],
      ['first run, wrongly', 'imputations import b.csv --yes --first-run'],
      ['sent before, skipped', 'imputations import b.csv --yes --on-sent skip'],
      ['a single one', 'imputations create --reference LOST-1 --amount 2 --contract c --yes'],
      ['nothing said', 'imports resolve RUN1'],
      ['all, not confirmed', 'imports resolve RUN1 --drop'],
      ['two rows, one id', 'imports resolve RUN1 2 3 --adopt im-9'],
      ['two outcomes', 'imports resolve RUN1 2 --drop --resend'],
      ['no such row', 'imports resolve RUN1 17 --drop'],
      ['a created row', 'imports resolve RUN1 1 --drop'],
      ['an id that is taken', 'imports resolve RUN1 2 --adopt new-A'],
      ['preview', 'imports resolve RUN1 LOST-1 --adopt im-77 --dry-run'],
      ['wrong file', 'imports resolve RUN1 --from wrong.csv --yes'],
      ['wrong columns', 'imports resolve RUN1 --from columns.csv --yes'],
      ['no such file', 'imports resolve RUN1 --from none.csv --yes'],
      ['file, preview', 'imports resolve RUN1 --from some.csv --dry-run'],
      ['file, not confirmed', 'imports resolve RUN1 --from some.csv'],
      ['file', 'imports resolve RUN1 --from some.csv --yes'],
      ['file again', 'imports resolve RUN1 --from some.csv --yes'],
      ['drop', 'imports resolve RUN1 4 --drop'],
      ['resume preview', 'imports resume RUN1 --dry-run'],
      LATER,
      ['resumed', 'imports resume RUN1'],
      ['follows', 'imports resume RUN2'],
      ['rows at the end', 'imports rows RUN1 --fields row,state,id,reason'],
      ['history', 'history export -o ndjson --fields what,state,created,path,status'],
    ],
  },
  {
    title: 'discarded with unconfirmed rows',
    files: { 'a.csv': amounts('A,1,c', 'LOST-1,2,c') },
    replies: ({ reference }) => (reference === 'LOST-1' ? { isLost: true } : undefined),
    lines: [
      ['run', 'imputations import a.csv --yes --first-run'],
      ['discard asks', 'imports discard RUN1'],
      ['discard, preview', 'imports discard RUN1 --dry-run'],
      ['discard', 'imports discard RUN1 --yes'],
      ['remembered', 'imputations import a.csv --yes'],
      ['skipped', 'imputations import a.csv --yes --on-sent skip'],
      damage(2),
      ['damaged', 'imports show RUN2'],
      ['damaged in a list', 'imports list --fields run,state'],
      ['damaged, resumed', 'imports resume RUN2'],
      ['damaged, resolved', 'imports resolve RUN2 --drop --all --yes'],
      ['damaged, pruned', 'imports prune --older-than 0d --yes'],
      ['damaged, discarded', 'imports discard RUN2 --yes'],
    ],
  },
  {
    title: 'staged and sent',
    files: {
      'a.csv': items('ST-1,Bolt', 'ST-2,"Nut ""M8"""', 'ST-3,', 'E-1,Old'),
      'b.csv': items('ST-7,Saw', 'ST-8,Axe'),
    },
    books: { items: [{ id: 'old-1', code: 'E-1', name: 'Old' }] },
    lines: [
      ['stage', 'items import a.csv --stage'],
      ['list', 'imports list'],
      ['show', 'imports show RUN1'],
      ['rows', 'imports rows RUN1'],
      ['report', 'imports report RUN1'],
      ['report in Spanish', 'imports report RUN1 --lang es'],
      ['stage again', 'items import a.csv --stage'],
      ['import', 'items import a.csv --yes'],
      ['resume', 'imports resume RUN1'],
      ['resolve', 'imports resolve RUN1 1 --drop'],
      ['statement', 'imports show RUN1 --statement a.statement'],
      ['statement as text file', 'imports show RUN1 --statement a.txt'],
      ['show a statement', 'imports show a.statement'],
      ['rows of a statement', 'imports rows a.statement -o csv'],
      ['send, preview', 'imports send RUN1 --dry-run'],
      ['send asks', 'imports send RUN1'],
      ['wrong digest', `imports send RUN1 --yes --digest sha256:${'0'.repeat(64)}`],
      ['statement without digest', 'imports send a.statement --yes'],
      ['send', 'imports send RUN1 --yes --digest DIGEST1'],
      ['send again', 'imports send RUN1 --yes'],
      ['stage another', 'items import b.csv --stage -o table'],
      ({ service }) => service.lists.items!.push({ id: 'o-1', code: 'ST-7', name: 'Saw' }),
      ['exists by now', 'imports send RUN2 --yes'],
      ['history', 'history list --fields what,state'],
      ({ world }) =>
        world.file('bad.statement', '{"statement":"proc-import-1","digest":"x"}\n{}\n'),
      ['damaged statement', 'imports send bad.statement --yes --digest DIGEST1'],
      ['show a damaged statement', 'imports show bad.statement'],
    ],
  },
  {
    title: 'a staged plan that changed',
    files: {
      'a.csv': csv('PO,reference,amount', 'PO-1,R-1,5', 'PO-2,R-2,6', 'PO-9,R-3,7'),
      'b.csv': csv('PO,reference,amount', 'PO-1,R-4,95', 'PO-1,R-5,6'),
      'c.csv': csv('order,reference,amount,currency', 'PO-1,R-6,5,EUR'),
    },
    books: {
      orders: [
        { id: 'po-1', code: 'PO-1', title: 'One', amount: 100, currency: 'USD', status: 'open' },
        { id: 'po-2', code: 'PO-2', title: 'Two', amount: 100, currency: 'USD', status: 'open' },
        { id: 'po-3', code: 'PO-2B', title: 'Two', amount: 9, currency: 'USD', status: 'open' },
      ],
    },
    lines: [
      [
        'misspelt reference',
        'imputations import a.csv --map order=PO --set currency=@ordr.currency --first-run',
      ],
      [
        'misspelt field',
        'imputations import a.csv --map order=PO --set currency=@order.curency --first-run',
      ],
      [
        'stage',
        'imputations import a.csv --map order=PO --set currency=@order.currency --stage --first-run',
      ],
      ['rows', 'imports rows RUN1 -o ndjson'],
      ({ service: { lists } }) => {
        lists.orders![0] = { ...lists.orders![0], code: 'MOVED' };
      },
      ['changed', 'imports send RUN1 --yes --first-run'],
      ({ service: { lists } }) => {
        lists.orders![0] = { ...lists.orders![0], code: 'PO-1' };
      },
      ['sent', 'imports send RUN1 --yes --first-run'],
      ['beyond the order', 'imputations import b.csv --map order=PO --dry-run'],
      ['beyond the order, strict', 'imputations import b.csv --map order=PO --strict --yes'],
      ['another currency', 'imputations import c.csv --dry-run'],
    ],
  },
  {
    title: 'requisitions',
    files: {
      'a.ndjson': ndjson(
        requisition('Good', line(undefined, 'Bolt')),
        requisition('None', line('A-1', 'Bolt', 0)),
        requisition('Exists', line('E-1', 'Old')),
        requisition('Another', line('E-1', 'Not the old one')),
        requisition('Several', line('E-2', 'Twin')),
        { title: 'No groups', groups: [] },
        { groups: 'x' },
      ),
      'twice.ndjson': ndjson(
        requisition('R-1', line('N-1', 'Bolt')),
        requisition('R-2', line('N-1', 'Bolt')),
      ),
      'flat.csv': csv(
        'Request,Where,SKU,Part,Qty',
        ...['Spring,Plant,E-1,,4', 'Autumn,Plant,NO-SUCH,,1', 'Spring,Shop,,New part,2'],
        ...['Winter,Plant,,Part,none', 'Summer,,E-2,,1'],
      ),
      'merged.csv': csv('Color,Vendor,Qty,Part', 'red,A,1,Bolt', 'red,B,2,Nut', 'blue,A,3,Rod'),
      'places.csv': csv('R,Where,Part,Qty', 'A,plant,Bolt,1', 'B,nowhere,Bolt,1'),
    },
    books: {
      items: [
        { id: 'old-1', code: 'E-1', name: 'Old' },
        { id: 'old-2', code: 'E-2', name: 'Twin' },
        { id: 'old-3', code: 'E-2', name: 'Twin' },
      ],
      sectors: [{ id: 's-1', key: 'road', name: 'Road' }],
    },
    lines: [
      ['payloads', 'requisition import a.ndjson --dry-run'],
      ['sent', 'requisition import a.ndjson --yes --first-run'],
      ['rows', 'imports rows RUN1 --fields row,state,code,id,reason'],
      ['report in Spanish', 'imports report RUN1 --lang es'],
      [
        'by code alone',
        'requisition import a.ndjson --dry-run --items-in-place reference --on-sent skip',
      ],
      ['one new item twice', 'requisition import twice.ndjson --yes'],
      ['flat rows', 'requisition import flat.csv --yes'],
      ['no column to group by', 'requisition import flat.csv --yes --group-by Reqest'],
      ['missing fields', 'requisition import flat.csv --yes --group-by Request --map quantity=Qty'],
      [
        'a wrong constant',
        'requisition import flat.csv --group-by Request --map title=Request --map item.name=Part --map quantity=Qty --set group.deliveryMethod=pikup',
      ],
      [
        'grouped',
        'requisition import flat.csv --yes --group-by Request --map title=Request --map group.name=Where --map item.code=SKU --map item.name=Part --map quantity=Qty --set group.deliveryMethod=pickup --set sector=Road',
      ],
      ['grouped rows', 'imports rows RUN2'],
      ['merges rows that differ', 'requisition import merged.csv --yes'],
      ['alias', 'addresses alias adr-1 plant'],
      [
        'addresses',
        'requisition import places.csv --dry-run --group-by R --map title=R --map group.address=Where --map item.name=Part --map quantity=Qty --set group.deliveryMethod=delivery',
      ],
      ['stage', 'requisition import twice.ndjson --items-in-place define --stage'],
      ['staged rows', 'imports rows RUN3'],
    ],
  },
  {
    title: 'single writes in the history',
    replies: ({ name, reference }) =>
      name === 'Lost' || reference === 'LOST' ? { isLost: true } : undefined,
    lines: [
      ['created', 'items create --name Bolt --code A-1'],
      ['unknown', 'items create --name Lost'],
      ['repeated', 'items create --name Lost'],
      ['an imputation', 'imputations create --reference LOST --amount 5 --contract c'],
      ['list', 'history list'],
      ['list as table', 'history list -o table'],
      ['unknown ones', 'history list --state unknown -o id'],
      ['export', 'history export -o ndjson'],
      ['show', 'history show ENTRY1'],
      ['show as table', 'history show ENTRY1 -o table'],
      ['nothing said', 'history resolve ENTRY1'],
      ['both', 'history resolve ENTRY1 --adopt i-9 --not-applied'],
      ['no such entry', 'history show h-none'],
      ['preview', 'history resolve ENTRY1 --adopt i-9 --dry-run'],
      ['adopted', 'history resolve ENTRY1 --adopt i-9'],
      ['known', 'history resolve ENTRY3 --not-applied'],
      ['not applied', 'history resolve ENTRY2 --not-applied'],
      ['undo a create', 'history undo ENTRY3 --yes'],
      ['prune', 'history prune --older-than 0d --yes'],
      ['forget the service', 'history prune --service --yes'],
    ],
  },
  {
    title: 'a service that was reset',
    files: { 'a.csv': items('X-1,a', 'X-2,b'), 'b.csv': items('X-3,c') },
    lines: [
      ['first', 'items import a.csv --yes'],
      ({ service }) => {
        service.lists.items = [{ id: 'new-X-1', code: 'Z-1', name: 'of others' }];
      },
      ['ids start again', 'items import b.csv --yes'],
      ['forget', 'history prune --service --yes'],
      ['again', 'items import b.csv --yes -q created'],
    ],
  },
  {
    title: 'a lost ledger',
    files: { 'a.csv': items('X-1,a', 'X-2,b') },
    replies: (_, nth) => (nth > 1 ? { status: 401 } : undefined),
    lines: [
      ['stopped', 'items import a.csv --yes'],
      ({ world }) => rm(join(world.stateDir, 'ledger.db')),
      ['list', 'imports list --fields run,state'],
      ['resume', 'imports resume RUN1'],
      ['send', 'imports send RUN1 --yes'],
      ['discard', 'imports discard RUN1 --yes'],
      ({ world }) => writeFile(join(world.stateDir, 'ledger.db'), 'no database'),
      ['a damaged ledger', 'imports list'],
      ['import', 'items import a.csv --yes'],
      ['history', 'history list'],
    ],
  },
];

/**
 * Compares everything that a user sees with the files in `golden`. A restructuring leaves them as they are.
 * After a change that users should see, renew them and review the difference:
 * `npx vitest run test/e2e/golden.test.ts -u`.
 */
it.each(SCENES)('$title', async (scene) => {
  const file = `golden/${scene.title.replaceAll(/[^a-z]+/g, '-')}.txt`;
  await expect(await transcript(scene)).toMatchFileSnapshot(file);
});
