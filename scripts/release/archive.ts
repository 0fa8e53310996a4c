import {
  chmodSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { create } from 'tar';
import yazl from 'yazl';

export interface ArchiveFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly isExecutable: boolean;
}

/** The same files give the same bytes: sorted, with one date, and without an owner. */
export async function writeArchive(
  file: string,
  folder: string,
  files: readonly ArchiveFile[],
  date: Date,
): Promise<void> {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  if (file.endsWith('.zip')) await writeZip(file, folder, sorted, date);
  else await writeTar(file, folder, sorted, date);
}

async function writeTar(
  file: string,
  folder: string,
  files: readonly ArchiveFile[],
  date: Date,
): Promise<void> {
  const tree = mkdtempSync(join(tmpdir(), 'proc-archive-'));
  try {
    const paths = files.map(({ path, bytes, isExecutable }) => {
      const at = join(tree, folder, path);
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, bytes);
      chmodSync(at, isExecutable ? 0o755 : 0o644);
      return `${folder}/${path}`;
    });
    await create(
      { file, cwd: tree, gzip: { level: 9 }, portable: true, mtime: date, noPax: true },
      paths,
    );
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

async function writeZip(
  file: string,
  folder: string,
  files: readonly ArchiveFile[],
  date: Date,
): Promise<void> {
  const zip = new yazl.ZipFile();
  for (const { path, bytes, isExecutable } of files) {
    zip.addBuffer(bytes, `${folder}/${path}`, {
      mtime: date,
      mode: isExecutable ? 0o100755 : 0o100644,
      compressionLevel: 9,
    });
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
}
