import type { Writable } from 'node:stream';
import { visibleLines } from '../terminal/sanitise.ts';
import { isClosed, writeOut } from '../terminal/write.ts';
import { openOutFile } from './out-file.ts';

/** Where data goes: standard output, or the file of `--out`. */
export interface Sink {
  /** Text that is safe already, or bytes. */
  write(text: string | Uint8Array): Promise<void>;
  /** Text of the service as it is; on a terminal its controls become visible. */
  writeData(text: string): Promise<void>;
  /** The reader went away; the rest need not be produced. */
  closed(): boolean;
  commit(): Promise<void>;
  abort(): Promise<void>;
}

const nothing = async (): Promise<void> => undefined;

/** Opens the sink. Throws `unwritable_output`. */
export async function openSink(
  out: string | undefined,
  stdout: Writable,
  stdoutIsTerminal: boolean,
): Promise<Sink> {
  if (out !== undefined) {
    const file = await openOutFile(out);
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
