import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LocalPlan } from '../../core/command.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import { bulkMessages } from '../../messages/bulk.ts';
import { confirmChange } from '../../terminal/confirm-change.ts';
import type { Approval } from '../ledger/facts.ts';
import { Journal } from '../ledger/journal.ts';
import { journalFailure } from '../ledger/ledger-failure.ts';
import { lockImport } from '../ledger/processes/import-lock.ts';
import { findRun, importsFolder, journalPath } from '../ledger/runs.ts';
import { sealedOf } from './canonical-form.ts';
import { requireStaged } from './require-staged.ts';
import { approvalsNow } from './signed-approvals.ts';
import { check, sign } from './ssh-keygen.ts';
import { statementOf, subjectOf, validityOf } from './statement.ts';

/** @throws ProcError `invalid_usage`, `unreadable_file`, `plan_changed`, `signing_failed` */
export async function planApproval(
  typed: string,
  keyFile: string,
  validMs: number,
  ports: Ports<'io' | 'ask' | 'self'>,
): Promise<LocalPlan> {
  const folder = importsFolder(ports.self.env);
  const path = journalPath(folder, findRun(folder, typed));
  const key = resolve(ports.self.cwd, keyFile);
  if (!existsSync(key)) {
    throw new ProcError('unreadable_file', `cannot read --key ${keyFile}: the file does not exist`);
  }
  const approved = ports.self.clock.now();
  const { statement, header } = statementIn(path, { approved, expires: approved + validMs });
  const { run } = header;
  return {
    would: () => ({ kind: 'record', idField: 'run', value: { run, statement } }),
    async apply() {
      const { clock, signal } = ports.self;
      const words = bulkMessages[await ports.io.lang()];
      ports.io.say({ kind: 'notice', text: `${words.signs}\n${indented(statement)}` });
      const question = async () => words.approve(run);
      await confirmChange({ question, what: `approve ${run}` }, ports);
      const lock = await lockImport({ folder, ...header }, { clock, signal, run });
      try {
        const signature = await sign(statement, key, ports.self.env);
        const checked = await check(statement, signature, ports.self.env);
        if (!checked.isValid) {
          throw new ProcError('signing_failed', `the signature is not valid: ${checked.problem}`);
        }
        const { persons, newest } = await add(path, { statement, signature }, ports);
        if (newest?.problem !== undefined) {
          const text = `the approval does not count: it ${newest.problem}`;
          ports.io.say({ kind: 'warning', text });
        }
        const { expires } = validityOf(statement)!;
        const value: Row = {
          ...{ run, approved: true, key: checked.key, approvals: persons },
          counts: newest?.counts ?? 'unknown',
          expires: new Date(expires).toISOString(),
        };
        return { kind: 'record', idField: 'run', value };
      } finally {
        lock.release();
      }
    },
  };
}

function statementIn(path: string, validity: Parameters<typeof statementOf>[1]) {
  const journal = Journal.open(path, true);
  try {
    requireStaged(journal, 'approved');
    const { header } = journal;
    const subject = subjectOf(header, sealedOf(journal), journal.sealed.counts());
    return { statement: statementOf(subject, validity), header };
  } catch (thrown) {
    throw journalFailure(path, thrown);
  } finally {
    journal.close();
  }
}

async function add(path: string, approval: Approval, { self }: Ports<'self'>) {
  const journal = Journal.open(path);
  try {
    requireStaged(journal, 'approved');
    const approvals = [...(journal.get('approvals') ?? []), approval];
    journal.note({ approvals });
    return await approvalsNow(journal, self.clock.now(), self.env);
  } catch (thrown) {
    throw journalFailure(path, thrown);
  } finally {
    journal.close();
  }
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
