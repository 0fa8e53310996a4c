import { workbook } from '../support/workbook.ts';
import type { DirtyFile } from './dirty-files.ts';

const ITEMS = [
  ['A-1', 'Bolt'],
  ['A-2', 'Nut'],
] as const;

function book(sheets: Parameters<typeof workbook>[0]): Pick<DirtyFile, 'name' | 'content'> {
  return { name: 'items.xlsx', content: workbook(sheets) };
}

function csv(content: string): Pick<DirtyFile, 'name' | 'content'> {
  return { name: 'items.csv', content };
}

/** Files with an unusual header, sheet or line end. All hold {@link ITEMS}. */
export const DIRTY_TABLES: readonly DirtyFile[] = [
  {
    title: 'titles above the header, with `--header-row 4`',
    ...csv('Stock\n"of May" 2026\n\ncode;name\nA-1;Bolt\nA-2;Nut\n'),
    flags: ['--header-row', '4'],
    stored: ITEMS,
  },
  {
    title: 'columns with the same header that are not mapped',
    ...csv('code,name,note,note,note\nA-1,Bolt,a,b,c\nA-2,Nut,a,b,c\n'),
    stored: ITEMS,
  },
  {
    title: 'columns without a header',
    ...csv('code,,name,\nA-1,x,Bolt,\nA-2,y,Nut,\n'),
    stored: ITEMS,
  },
  {
    title: 'three kinds of line ends',
    ...csv('code,name\r\nA-1,Bolt\rA-2,"Nut\rM8"\n'),
    stored: [
      ['A-1', 'Bolt'],
      ['A-2', 'Nut\rM8'],
    ],
  },
  {
    title: 'titles in a workbook, with `--header-row 3`',
    ...book({ Items: [['Stock of May'], [], ['code', 'name'], ...ITEMS] }),
    flags: ['--header-row', '3'],
    stored: ITEMS,
  },
  {
    title: 'items in the second sheet, with `--sheet`',
    ...book({ Notes: [['Read this first']], Items: [['code', 'name'], ...ITEMS] }),
    flags: ['--sheet', 'Items'],
    stored: ITEMS,
  },
  {
    title: 'items deep in a JSON document, with `--path`',
    name: 'items.json',
    content: JSON.stringify({
      ok: true,
      data: { products: ITEMS.map(([code, name]) => ({ code, name })) },
    }),
    flags: ['--path', 'data.products'],
    stored: ITEMS,
  },
];
