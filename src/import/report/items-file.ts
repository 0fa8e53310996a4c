import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { listed, someOf } from '../../core/text/listed.ts';
import { inShell, typedAgain } from '../../core/text/typed.ts';
import type { Definition } from '../../nouns/shared/items-in-place.ts';
import { naming } from '../../output/sink.ts';
import { writeWholeFile } from '../../store/whole-file.ts';
import { isWritable } from './files.ts';
import { rowsIn } from './words.ts';

const NAMED = 3;

export interface SharedItems {
  readonly count: number;
  /** The first codes, each with the number of lines that define it. */
  readonly first: readonly { readonly code: string; readonly lines: number }[];
  /** The first codes whose lines define different items. */
  readonly differing: readonly string[];
  /** One definition for each code. */
  items(): Iterable<Definition>;
  /** Undefined for standard input, or if there is no file. */
  readonly source: string | undefined;
}

/**
 * Writes the new items to a file, except in a dry run. The hint of the error has the command that
 * creates them.
 */
export function createFirst(shared: SharedItems, ports: Ports<'io' | 'api' | 'self'>): ProcError {
  const { count, first, differing } = shared;
  const named = first
    .slice(0, NAMED)
    .map(({ code, lines }) => `${code} (${rowsIn(lines, 'line')})`);
  const some = listed(differing, NAMED);
  const isAlike = differing.length === 0;
  const message = `${rowsIn(count, 'new item is', 'new items are')} defined on several lines: ${someOf(named, count)}. Each line would create an item with the same code; nothing was sent${isAlike ? '' : `. The definitions of ${some} differ: the file with the new items has only the first definition of each`}`;
  const details = { codes: first.map(({ code }) => code), count, differing };
  if (ports.api.isPreview) {
    return new ProcError('invalid_input', message, {
      hint: 'Without --dry-run, proc writes these items to a file and shows the command that creates them. Run that command first',
      details,
    });
  }
  const file = writeItems(shared, ports);
  const { flags: globals } = ports.self;
  const { terminal } = ports.io;
  const command = [
    ...['proc', 'items', 'import', file],
    ...(globals.profile === undefined ? [] : ['-p', globals.profile]),
    ...(globals.env === undefined ? [] : ['-e', globals.env]),
    ...(terminal.interactive ? [] : ['--yes']),
  ]
    .map(inShell)
    .join(' ');
  const both = `${command} && ${typedAgain(ports.self.typed, [])}`;
  return new ProcError('invalid_input', message, {
    hint: `Create them first: ${both}`,
    details: { ...details, file, command },
  });
}

function writeItems({ items, source }: SharedItems, { self: { cwd } }: Ports<'self'>): string {
  const text = [...items()].map((item) => `${JSON.stringify(item)}\n`).join('');
  const folder = source !== undefined && isWritable(dirname(source)) ? dirname(source) : cwd;
  const stem =
    source === undefined
      ? 'requisition'
      : basename(source.replace(/\.gz$/, ''), extname(source.replace(/\.gz$/, '')));
  for (let nth = 1; ; nth++) {
    const path = join(folder, `${stem}.items${nth === 1 ? '' : `-${nth}`}.ndjson`);
    if (!existsSync(path))
      naming(path, () => writeWholeFile(path, text), 'the file with new items');
    // A file with other content is kept, because a person may have edited it.
    if (contentOf(path) === text) return path;
  }
}

/** Undefined if it is no file, or cannot be read. */
function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
