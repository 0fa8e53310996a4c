import { readFile, writeFile } from 'node:fs/promises';
import { fromBuffer } from 'yauzl';
import { zip } from './workbook.ts';

export async function workbookParts(file: string): Promise<Record<string, string>> {
  const bytes = await readFile(file);
  return new Promise((resolve, reject) => {
    const parts: Record<string, string> = {};
    fromBuffer(bytes, { lazyEntries: true }, (failed, archive) => {
      if (failed !== null) return reject(failed);
      archive.on('end', () => resolve(parts)).on('error', reject);
      archive.on('entry', (entry) => {
        archive.openReadStream(entry, (broken, stream) => {
          if (broken !== null) return reject(broken);
          const pieces: Buffer[] = [];
          stream.on('data', (piece: Buffer) => pieces.push(piece)).on('error', reject);
          stream.on('end', () => {
            parts[entry.fileName] = Buffer.concat(pieces).toString();
            archive.readEntry();
          });
        });
      });
      archive.readEntry();
    });
  });
}

/** Types values into cells of the first sheet, e.g. `{ B2: 12.5 }`. The cells keep their formats. */
export async function typeInto(
  file: string,
  cells: Readonly<Record<string, string | number>>,
  to = file,
): Promise<void> {
  const parts = await workbookParts(file);
  const sheet = 'xl/worksheets/sheet1.xml';
  const left = new Map(Object.entries(cells));
  parts[sheet] = parts[sheet]!.replace(
    /<c r="([A-Z]+\d+)"( s="\d+")?[^>]*?(?:\/>|>.*?<\/c>)/gs,
    (cell, place: string, style = '') => {
      const value = left.get(place);
      if (value === undefined) return cell;
      left.delete(place);
      return typeof value === 'number'
        ? `<c r="${place}"${style}><v>${value}</v></c>`
        : `<c r="${place}"${style} t="inlineStr"><is><t xml:space="preserve">${value}</t></is></c>`;
    },
  );
  if (left.size > 0) throw new Error(`there is no cell ${[...left.keys()].join(', ')}`);
  await writeFile(to, zip(parts));
}

/** The fill of a cell of the first sheet (ARGB); undefined if it has none. */
export async function fillOf(file: string, place: string): Promise<string | undefined> {
  const parts = await workbookParts(file);
  const [, style = '0'] =
    new RegExp(`<c r="${place}"[^>]* s="(\\d+)"`).exec(parts['xl/worksheets/sheet1.xml']!) ?? [];
  const styles = parts['xl/styles.xml']!;
  const formats = /<cellXfs[^>]*>(.*)<\/cellXfs>/s.exec(styles)![1]!;
  const fill = [...formats.matchAll(/<xf [^>]*fillId="(\d+)"/g)][Number(style)]?.[1];
  const fills = /<fills[^>]*>(.*)<\/fills>/s.exec(styles)![1]!;
  const found = [...fills.matchAll(/<fill>.*?<\/fill>/gs)][Number(fill)]?.[0] ?? '';
  return /patternType="solid"><fgColor rgb="(\w+)"/.exec(found)?.[1];
}
