import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { nodeModule } from '../core/process/node-module.ts';
import type { Pager } from '../terminal/pager.ts';
import { visibleLines } from '../terminal/sanitise.ts';
import { isClosed, writeOut } from '../terminal/write.ts';
import { type OutFile, openOutFile } from './out-file.ts';

export interface Sink {
  /** Writes text that is already safe, or bytes. */
  write(text: string | Uint8Array): Promise<void>;
  /** Writes text of the service unchanged; on a terminal control characters become visible. */
  writeData(text: string): Promise<void>;
  closed(): boolean;
  commit(): Promise<void>;
  abort(): Promise<void>;
}

const nothing = async (): Promise<void> => undefined;

/** @throws ProcError `unwritable_output` */
export async function openSink(
  out: string | undefined,
  stdout: Writable,
  { stdoutIsTerminal, isGzipped }: { stdoutIsTerminal: boolean; isGzipped: boolean },
  paging?: Paging,
): Promise<Sink> {
  if (out !== undefined) {
    const opened = await openOutFile(out);
    const file = isGzipped ? gzipped(opened) : opened;
    return { ...file, writeData: (text) => file.write(text), closed: () => false };
  }
  const write = (text: string | Uint8Array): Promise<void> => writeOut(stdout, text);
  if (paging !== undefined) return pagedSink(paging, stdout);
  return {
    write,
    writeData: (text) => write(stdoutIsTerminal ? visibleLines(text) : text),
    closed: () => isClosed(stdout),
    commit: nothing,
    abort: nothing,
  };
}

function gzipped(file: OutFile): OutFile {
  const { once } = nodeModule('node:events');
  const gzip = nodeModule('node:zlib').createGzip();
  const written = (async () => {
    for await (const chunk of gzip) await file.write(chunk as Uint8Array);
  })();
  // A failure is thrown by the next call.
  written.catch(() => undefined);
  return {
    async write(text) {
      if (!gzip.write(text)) await Promise.race([once(gzip, 'drain'), written]);
    },
    async commit() {
      gzip.end();
      await written;
      await file.commit();
    },
    async abort() {
      gzip.destroy();
      await file.abort();
    },
  };
}

interface Paging {
  open(): Promise<Pager>;
  /** Of the screen, in characters and lines. */
  readonly width: number;
  readonly height: number;
}

/** Text that fits on the screen is printed directly. The pager starts once it does not fit. */
function pagedSink({ open, width, height }: Paging, stdout: Writable): Sink {
  let held = '';
  let opened: Promise<Pager> | undefined;
  let pager: Pager | undefined;
  const write = async (text: string | Uint8Array): Promise<void> => {
    if (text.length === 0) return;
    if (opened === undefined) {
      held += typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
      // The line after the text is for the prompt of the shell.
      if (linesOf(held, width) < height) return;
    }
    const isFirst = opened === undefined;
    opened ??= open();
    pager = await opened;
    await pager.write(isFirst ? held : text);
  };
  const end = async (): Promise<void> => {
    if (opened === undefined) await writeOut(stdout, held);
    await pager?.end();
  };
  return {
    write,
    writeData: (text) => write(visibleLines(text)),
    closed: () => pager?.closed() ?? isClosed(stdout),
    commit: end,
    abort: end,
  };
}

/** How many lines of the screen the text takes. */
function linesOf(text: string, width: number): number {
  const lines = stripVTControlCharacters(text).replace(/\n$/, '').split('\n');
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / width)), 0);
}
