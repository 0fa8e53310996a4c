import type { Writable } from 'node:stream';
import { nodeModule } from '../core/process/node-module.ts';
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
): Promise<Sink> {
  if (out !== undefined) {
    const opened = await openOutFile(out);
    const file = isGzipped ? gzipped(opened) : opened;
    return { ...file, writeData: (text) => file.write(text), closed: () => false };
  }
  const write = (text: string | Uint8Array): Promise<void> => writeOut(stdout, text);
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
