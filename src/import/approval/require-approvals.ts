import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { ProcError } from '../../core/errors.ts';
import type { Env, Ports } from '../../core/ports.ts';
import type { ApprovalRule } from '../../core/service/approval-rule.ts';
import { inShell } from '../../core/text/typed.ts';
import type { Approval, CountedApproval } from '../ledger/facts.ts';
import type { RunHeader } from '../ledger/header.ts';
import type { Journal } from '../ledger/journal.ts';
import { sealedOf } from './canonical-form.ts';
import { check, principalsOf, verify } from './ssh-keygen.ts';
import { differenceOf, subjectOf, validityOf } from './statement.ts';

/** How much clocks of two machines may differ. */
const CLOCK_DIFFERENCE_MS = 5 * 60_000;

/** What an approval is worth. */
type Judged = CountedApproval | { readonly problem: string };

/**
 * The only place that allows the rows of a run to leave: the environment demands no approvals, or the run is
 * staged and has them. Called before anything is sent, by every command that sends.
 *
 * @returns the approvals that count
 * @throws ProcError `approval_required`; `plan_changed` if the saved rows are not those that were staged
 */
export async function requireApprovals(
  journal: Journal,
  ports: Ports<'api' | 'self'>,
): Promise<readonly CountedApproval[]> {
  const { approvals: rule } = await ports.api.target();
  if (rule.required === 0) return [];
  const { header } = journal;
  if (header.isStaged !== true) throw notStaged(header, rule);
  const sealed = sealedOf(journal);
  if (rule.signer === undefined) {
    throw tooFew(header, rule, 0, [
      'no approval counts until the settings name who imports, whose own does not count',
    ]);
  }
  if (rule.approvers === undefined || !existsSync(rule.approvers)) {
    const file = rule.approvers === undefined ? '' : `: ${rule.approvers} does not exist`;
    throw tooFew(header, rule, 0, [`the settings name no file of approvers${file}`]);
  }
  const ownKeys = keysOf(rule.signer, rule.approvers);
  if (ownKeys.length === 0) {
    throw tooFew(header, rule, 0, [
      `${rule.approvers} has no key of ${rule.signer}, so proc cannot tell whose approval does not count`,
    ]);
  }
  const subject = subjectOf(header, sealed, journal.sealed.counts());
  // What has begun may be completed: approvals count as they did when sending began.
  const at = journal.get('firstSentAt') ?? ports.self.clock.now();
  const counted: CountedApproval[] = [];
  const problems: string[] = [];
  for (const approval of journal.get('approvals') ?? []) {
    const judged = await judge(approval, subject, { rule, ownKeys }, at, ports.self.env);
    if ('problem' in judged) problems.push(judged.problem);
    else counted.push(judged);
  }
  const persons = countPersons(counted);
  if (persons < counted.length) problems.push('several approvals are by the same person');
  if (persons < rule.required) throw tooFew(header, rule, persons, problems);
  return counted;
}

/** Whether one approval counts. */
async function judge(
  approval: Approval,
  subject: ReturnType<typeof subjectOf>,
  { rule, ownKeys }: { rule: ApprovalRule; ownKeys: readonly string[] },
  at: number,
  env: Env,
): Promise<Judged> {
  const { statement, signature } = approval;
  const difference = differenceOf(statement, subject);
  if (difference !== undefined) return { problem: difference };
  const { approved, expires } = validityOf(statement)!;
  if (approved > at + CLOCK_DIFFERENCE_MS) {
    return { problem: `it is dated in the future: ${new Date(approved).toISOString()}` };
  }
  if (expires <= at) return { problem: `it expired at ${new Date(expires).toISOString()}` };
  const checked = await check(statement, signature, env);
  if (!checked.isValid) return { problem: `its signature is not valid: ${checked.problem}` };
  const { key } = checked;
  const approvers = rule.approvers!;
  const found = await principalsOf(signature, approvers, at, env);
  const [principal] = found.principals;
  if (principal === undefined) {
    return { problem: `its key (${key}) is not one of ${approvers}: ${found.problem}` };
  }
  if (found.principals.some((one) => /[*?!]/.test(one))) {
    return { problem: `${approvers} gives its key (${key}) to a pattern, not to a person` };
  }
  const refused = await verify(statement, signature, { principal, approvers, at }, env);
  if (refused !== undefined) return { problem: `it is not valid for ${principal}: ${refused}` };
  // The file may give the same key to several persons, on several lines.
  const own = { principal: rule.signer!, approvers, at };
  const isOwn =
    ownKeys.some((fingerprint) => key.endsWith(fingerprint)) ||
    found.principals.includes(rule.signer!) ||
    (await verify(statement, signature, own, env)) === undefined;
  if (isOwn) return { problem: `it is by ${rule.signer}, who imports` };
  return { ...approval, principals: found.principals, key };
}

/**
 * The fingerprints (`SHA256:…`) of a person's keys in a file of approvers, whatever the options of their
 * lines: a key that may not sign any more is still theirs.
 */
function keysOf(person: string, approvers: string): string[] {
  const lines = readFileSync(approvers, 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [, quoted, plain] = /^\s*(?:"([^"]*)"|([^\s#]\S*))/.exec(line) ?? [];
    const blob = /\s(AAAA\S+)/.exec(line)?.[1];
    if (blob === undefined || !(quoted ?? plain ?? '').split(',').includes(person)) return [];
    const hash = createHash('sha256').update(Buffer.from(blob, 'base64')).digest('base64');
    return [`SHA256:${hash.replace(/=+$/, '')}`];
  });
}

/** Approvals that share a key or a person are by one person. */
function countPersons(counted: readonly CountedApproval[]): number {
  let groups: Set<string>[] = [];
  for (const { principals, key } of counted) {
    const own = new Set([key, ...principals]);
    const others = groups.filter((group) => [...own].every((one) => !group.has(one)));
    const joined = groups.filter((group) => !others.includes(group));
    groups = [...others, new Set([...own, ...joined.flatMap((group) => [...group])])];
  }
  return groups.length;
}

/** Refuses a run that cannot have approvals, before proc reads anything for it. */
export function refuseUnstaged(
  rule: ApprovalRule,
  noun: string,
  typed: string,
): ProcError | undefined {
  if (rule.required === 0) return undefined;
  return new ProcError('approval_required', `${demands(rule)}; nothing was sent`, {
    hint: `Stage the import: proc ${noun} import ${inShell(typed)} --stage. Then have it approved: proc imports approve RUN --key FILE`,
    details: { required: rule.required, place: rule.place },
  });
}

/** `acme/production demands 1 approval of each import` */
function demands({ place, required }: ApprovalRule): string {
  return `${place} demands ${required === 1 ? '1 approval' : `${required} approvals`} of each import`;
}

function notStaged({ run, noun, source }: RunHeader, rule: ApprovalRule): ProcError {
  return new ProcError(
    'approval_required',
    `${demands(rule)}, and ${run} was not staged; nothing was sent`,
    {
      hint: `Discard the run and stage its file: proc imports discard ${inShell(run)}, then proc ${noun} import ${inShell(source.name)} --stage`,
      details: { run, required: rule.required, place: rule.place },
    },
  );
}

function tooFew(
  { run }: RunHeader,
  rule: ApprovalRule,
  counted: number,
  problems: readonly string[],
): ProcError {
  const { required, place, signer, approvers, set } = rule;
  const why = problems.length === 0 ? '' : `: ${problems.join('; ')}`;
  const missing = [
    ...(signer === undefined ? ['signer=PERSON'] : []),
    ...(approvers === undefined ? ['approvers=FILE'] : []),
  ];
  return new ProcError(
    'approval_required',
    `${demands(rule)}, and ${run} has ${counted} that ${counted === 1 ? 'counts' : 'count'}${why}; nothing was sent`,
    {
      hint:
        missing.length > 0
          ? `Complete the settings: ${set} ${missing.join(' ')}`
          : `Let an approver run: proc imports approve ${inShell(run)} --key FILE`,
      details: { run, required, counted, place, problems },
    },
  );
}
