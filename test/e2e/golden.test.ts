import { expect, it } from 'vitest';
import { type Place, type Reply, type Scene, transcript } from '../support/golden.ts';

const csv = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const items = (...lines: readonly string[]): string => csv('code,name', ...lines);
const amounts = (...lines: readonly string[]): string =>
  csv('reference,amount,account,contractId', ...lines);

const refusals: readonly Reply[] = [
  { status: 400, body: { type: 'about:blank', title: 'Invalid', detail: 'the unit is unknown' } },
  { status: 422, body: { errors: [{ field: 'name', message: 'too long' }, { message: 'no' }] } },
  { status: 400, body: 'plain text', headers: { 'content-type': 'text/plain' } },
  { status: 404, body: '<html><h1>Not here</h1></html>' },
  { status: 403, body: { error: { message: 'not yours' } } },
];

const LATER = (place: Place) => {
  place.service.state.reply = () => undefined;
};

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
        'A-3,Wheel,new,x',
      ),
    },
    books: { items: [{ id: 'old-1', code: 'E-1', name: 'Existing bolt' }] },
    lines: [
      ['plan', 'items import a.csv --dry-run'],
      ['plan as table', 'items import a.csv --dry-run -o table'],
      ['not confirmed', 'items import a.csv'],
      ['too many', 'items import a.csv --yes --max-create 1'],
      ['run', 'items import a.csv --yes --results out.csv --rejected left.csv'],
      ['again', 'items import a.csv --yes -o table'],
      ['list', 'imports list -o table'],
      ['show', 'imports show RUN1'],
      ['rows', 'imports rows RUN1 -o table'],
    ],
  },
  {
    title: 'mapping',
    files: {
      'other.csv': csv('SKU,Model,Color,Note', 'S-1,Bolt,red,x', 'S-2,Nut,blue,'),
      'two.json': '{"a":[{"code":"J-1"}],"b":[{"code":"J-2"}]}',
    },
    lines: [
      ['no column for the fields', 'items import other.csv --dry-run'],
      ['unknown columns', "items import other.csv --map code=SKUU --map 'name={Modell} {Color}'"],
      ['unknown field', 'items import other.csv --map cde=SKU --map name=Model'],
      [
        'a joined column',
        "items import other.csv --map code=SKU --map 'name={Model} {Color}' --set brand=Contoso --dry-run --save-map map.json",
      ],
      ['the map file', 'items import other.csv --map-file map.json --yes'],
      ['two arrays', 'items import two.json --dry-run'],
      ['a path', 'items import two.json --path b --map name=code --map code=code --dry-run'],
    ],
  },
  {
    title: 'damaged files',
    files: {
      'cells.csv': csv('code,name,brand', 'A-1,Bolt', 'A-2,Nut,M8,x', 'A-3,Rod,x'),
      'latin.csv': Buffer.from('code,name\nA-1,ca\xf1o\n', 'latin1'),
      'empty.csv': '',
      'broken.ndjson': csv('{"code":"N-1","name":"x"}', '{"code":"N-2","name":}', '[1]', '{'),
      'bad.xlsx': 'PK\u0003\u0004 no workbook',
    },
    lines: [
      ['cells', 'items import cells.csv --dry-run'],
      ['not UTF-8', 'items import latin.csv --dry-run'],
      ['empty', 'items import empty.csv --dry-run'],
      ['broken lines', 'items import broken.ndjson --dry-run'],
      ['no workbook', 'items import bad.xlsx --dry-run'],
    ],
  },
  {
    title: 'refused by the service',
    files: { 'a.csv': items(...refusals.map((_, at) => `X-${at},Row ${at}`), 'X-10,Good') },
    replies: ({ code }) => refusals[Number(String(code).slice(2))],
    lines: [
      ['run', 'items import a.csv --yes'],
      ['rows', 'imports rows RUN1 --fields row,state,status,reason'],
    ],
  },
  {
    title: 'stopped and resumed',
    files: { 'a.csv': items('X-1,a', 'X-2,b', 'X-3,c', 'X-4,d', 'X-5,e') },
    replies: (_, nth) => (nth > 2 ? { status: 401, body: { message: 'key expired' } } : undefined),
    lines: [
      ['stopped', 'items import a.csv --yes'],
      ['unfinished', 'imports list -o table'],
      LATER,
      ({ service }) => service.lists.items!.push({ id: 'other-1', code: 'X-4', name: 'd' }),
      ['preview', 'imports resume --dry-run'],
      ['resumed', 'imports resume RUN1'],
      ['finished', 'imports show RUN1'],
    ],
  },
  {
    title: 'lost responses of items',
    files: {
      'a.csv': items('X-1,reset', 'X-2,error', 'X-3,no id', 'X-4,text', 'X-5,absent', 'X-6,good'),
    },
    replies: ({ name }, nth) =>
      (
        ({
          reset: { isLost: true, isStored: true },
          error: { status: 500, body: { message: 'boom' }, isStored: true },
          'no id': { body: {} },
          text: { body: '<html>' },
          absent: nth < 7 ? { status: 502 } : undefined,
        }) as Readonly<Record<string, Reply | undefined>>
      )[String(name)],
    lines: [['found', 'items import a.csv --yes']],
  },
  {
    title: 'unconfirmed rows of imputations',
    files: { 'a.csv': amounts('A,1,a,c', 'LOST-1,2,a,c', 'LOST-2,3,a,c', 'LOST-3,4,a,c') },
    replies: ({ reference }) =>
      String(reference).startsWith('LOST') ? { status: 500, body: { message: 'boom' } } : undefined,
    lines: [
      ['run', 'imputations import a.csv --yes --first-run'],
      ['resume', 'imports resume'],
      ['a single one', 'imputations create --reference LOST-1 --amount 2 --account a --contract c'],
      ['nothing said', 'imports resolve RUN1'],
      ['preview', 'imports resolve RUN1 LOST-1 --adopt im-77 --dry-run'],
      ['adopted', 'imports resolve RUN1 LOST-1 --adopt im-77 --yes'],
      ['resend', 'imports resolve RUN1 LOST-2 --resend --yes'],
      ['drop', 'imports resolve RUN1 4 --drop --yes'],
      LATER,
      ['resumed', 'imports resume RUN1'],
      ['rows at the end', 'imports rows RUN1 --fields row,state,id,reason'],
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
      ['list', 'history list'],
      ['list as table', 'history list -o table'],
      ['show', 'history show ENTRY1'],
      ['no such entry', 'history show h-none'],
      ['adopted', 'history resolve ENTRY1 --adopt i-9'],
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
