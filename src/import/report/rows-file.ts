import { messageOf, ProcError } from '../../core/errors.ts';
import { PRIVATE, writeWholeFile } from '../../store/whole-file.ts';

const PIECE = 64 * 1024;

export function writeWhole(
  path: string,
  flag: string,
  pieces: Iterable<string>,
  encode: (text: string) => Buffer = (text) => Buffer.from(text),
): void {
  try {
    writeWholeFile(path, encoded(pieces, encode), PRIVATE);
  } catch (thrown) {
    throw new ProcError('unwritable_output', `cannot write ${flag} ${path}: ${messageOf(thrown)}`, {
      hint: 'Choose a file in a folder where you have write permission',
      cause: thrown,
    });
  }
}

function* encoded(pieces: Iterable<string>, encode: (text: string) => Buffer): Generator<Buffer> {
  let waiting = '';
  for (const piece of pieces) {
    waiting += piece;
    if (waiting.length < PIECE) continue;
    yield encode(waiting);
    waiting = '';
  }
  yield encode(waiting);
}
