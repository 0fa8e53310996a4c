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
    /<c r="([A-Z]+\d+)"([^>]*?)(?:\/>|>.*?<\/c>)/gs,
    (cell, place: string, attributes: string) => {
      const [style = ''] = / s="\d+"/.exec(attributes) ?? [];
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
