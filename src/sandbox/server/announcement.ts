import type { Ports } from '../../core/ports.ts';
import { writeOut } from '../../terminal/write.ts';
import type { RequestLog, Samples, Sandbox } from './server.ts';

export interface Announcement {
  readonly url: string;
  readonly key: string;
  readonly secondKey: string;
  readonly port: number;
  readonly pid: number;
  readonly db: string;
  readonly samples: Samples;
}

export function announcementOf(sandbox: Sandbox, pid: number): Announcement {
  return {
    url: sandbox.baseUrl,
    key: sandbox.keys[0]!.apiKey,
    secondKey: sandbox.keys[1]!.apiKey,
    port: sandbox.port,
    pid,
    db: sandbox.dbPath,
    samples: sandbox.samples,
  };
}

/** Not a Result: proc prints a Result when the command ends, but the sandbox still runs. */
export async function announce(
  ports: Ports<'io' | 'self'>,
  announcement: Announcement,
  after: string,
): Promise<void> {
  const { streams } = ports.io;
  const { flags: globals } = ports.self;
  const asText =
    globals.output === undefined ? streams.stdout.isTTY === true : globals.output === 'table';
  await writeOut(
    streams.stdout,
    asText ? block(announcement, after) : `${JSON.stringify(announcement)}\n`,
  );
}

function block(announcement: Announcement, after: string): string {
  const { url, key, secondKey, db, samples } = announcement;
  const lines: [string, string][] = [
    ['URL', url],
    ['Key', `${key}   (second organization: ${secondKey})`],
    ['Database', db],
  ];
  const known = Object.values(samples).filter((sample) => sample !== undefined);
  if (known.length > 0) lines.push(['To try', known.join('  ')]);
  const table = lines.map(([name, value]) => `  ${name.padEnd(10)}${value}`).join('\n');
  return `The sandbox is running.\n\n${table}\n\n${after}\n`;
}

/** A client may send any bytes, so all characters except printable ASCII are escaped. */
export function requestLine({ method, path, status, ms }: RequestLog): string {
  const printable = path.replace(/[^\x21-\x7e]/g, (char) => encodeURIComponent(char));
  const short = printable.length > 200 ? `${printable.slice(0, 199)}…` : printable;
  return `${method} ${short} ${status ?? 'cut off'} ${ms.toFixed(1)} ms`;
}
