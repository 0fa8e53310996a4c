import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { TextResult } from '../../core/result.ts';
import type { SealedPlan } from '../ledger/facts.ts';
import type { RunHeader } from '../ledger/header.ts';
import { Journal } from '../ledger/journal.ts';
import { journalFailure } from '../ledger/ledger-failure.ts';
import { findRun, importsFolder, journalPath } from '../ledger/runs.ts';
import { exportCommand } from '../report/next-command.ts';
import { canonicalForm, sealedOf } from './canonical-form.ts';
import { requireStaged } from './require-staged.ts';

/**
 * `docs/company.md` describes the file. The last line has the SHA-256 of all earlier lines.
 *
 * @throws ProcError `invalid_usage`, `plan_changed`
 */
export function exportRun(typed: string, ports: Ports<'self'>): TextResult {
  const folder = importsFolder(ports.self.env);
  const path = journalPath(folder, findRun(folder, typed));
  const journal = Journal.open(path, true);
  try {
    requireStaged(journal, 'exported');
    refuseSource(journal.header, ports);
    sealedOf(journal);
  } catch (thrown) {
    throw journalFailure(path, thrown);
  } finally {
    journal.close();
  }
  return { kind: 'text', text: pieces(path, ports) };
}

/** `--out` may not name the source, because the export would overwrite the rows. */
function refuseSource({ run, source }: RunHeader, { self }: Ports<'self'>): void {
  const { out } = self.flags;
  if (out === undefined) return;
  const [own, other] = [resolve(self.cwd, out), source.path].map((path) =>
    statSync(path, { throwIfNoEntry: false }),
  );
  if (own === undefined || own.ino !== other?.ino || own.dev !== other.dev) return;
  throw new ProcError(
    'invalid_usage',
    `--out ${out} is the source of ${run}; proc has not changed it`,
    { hint: `Name another file: ${exportCommand(run).replace('FILE', `${run}.ndjson`)}` },
  );
}

function* pieces(path: string, { self }: Ports<'self'>): Generator<string> {
  const journal = Journal.open(path, true);
  try {
    const { digest, ...sealed } = journal.get('sealed') as SealedPlan;
    const hash = createHash('sha256');
    const hashed = (text: string): string => {
      hash.update(text);
      return text;
    };
    for (const piece of canonicalForm(journal, sealed)) yield hashed(piece);
    yield hashed(line({ digest }));
    for (const approval of journal.get('approvals') ?? []) yield hashed(line({ approval }));
    const from = journal.get('receivedFrom') ?? hostname();
    const at = new Date(self.clock.now()).toISOString();
    yield hashed(line({ exported: { from, at } }));
    yield line({ end: hash.digest('hex') });
  } catch (thrown) {
    throw journalFailure(path, thrown);
  } finally {
    journal.close();
  }
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
