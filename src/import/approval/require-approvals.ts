import { messageOf, ProcError, systemCode } from '../../core/errors.ts';
import type { Env, Ports } from '../../core/ports.ts';
import type { ApprovalRule } from '../../core/service/approval-rule.ts';
import { inShell, typedAgain } from '../../core/text/typed.ts';
import { type Persons, personsIn } from '../../settings/credential/approvers.ts';
import type { Approval, CountedApproval } from '../ledger/facts.ts';
import type { RunHeader } from '../ledger/header.ts';
import type { Journal } from '../ledger/journal.ts';
import { sealedOf } from './canonical-form.ts';
import { check, principalsOf, verify } from './ssh-keygen.ts';
import { stageAgainHint } from './stage-again-hint.ts';
import { differenceOf, subjectOf, validityOf } from './statement.ts';

/** How much clocks of two machines may differ. */
const CLOCK_DIFFERENCE_MS = 5 * 60_000;

/** An approval that counts, or why it does not count, e.g. `expired at …`. */
type Judged = CountedApproval | { readonly problem: string };

/**
 * Must be called before rows of a run are sent.
 *
 * @param resends a person is about to send rows again, which needs approvals that are valid now
 * @returns the approvals that count
 * @throws ProcError `approval_required`; `plan_changed` if the saved rows are not the staged rows
 */
export async function requireApprovals(
  journal: Journal,
  ports: Ports<'api' | 'self'>,
  resends = journal.get('resent') === true,
): Promise<readonly CountedApproval[]> {
  const { approvals: rule } = await ports.api.target();
  if (rule.required === 0) return [];
  const { header } = journal;
  if (header.isStaged !== true) throw notStaged(header, rule);
  const sealed = sealedOf(journal);
  if (rule.signer === undefined) {
    throw tooFew(header, rule, 0, [
      'the setting signer is missing, so proc cannot tell which approvals are by the person who imports',
    ]);
  }
  if (rule.approvers === undefined) {
    throw tooFew(header, rule, 0, [
      'the setting approvers is missing: the file with the SSH keys of the approvers',
    ]);
  }
  let persons: Persons;
  try {
    persons = personsIn(rule.approvers);
  } catch (thrown) {
    const why = systemCode(thrown) === 'ENOENT' ? 'it does not exist' : messageOf(thrown);
    throw tooFew(
      header,
      rule,
      0,
      [`cannot read the approvers in ${rule.approvers}: ${why}`],
      ['approvers=FILE'],
    );
  }
  if (persons.named(rule.signer) === undefined) {
    const problem = `${rule.approvers} has no key of the signer ${rule.signer}, so proc cannot tell which approvals are by ${rule.signer}`;
    throw tooFew(header, rule, 0, [problem], ['signer=PERSON']);
  }
  const subject = subjectOf(header, sealed, journal.sealed.counts());
  const now = ports.self.clock.now();
  // A run that has begun to send may be completed, even if its approvals have expired since.
  const at = resends ? now : (journal.get('firstSentAt') ?? now);
  const counted: CountedApproval[] = [];
  const signed = new Map<unknown, string>();
  const problems: string[] = [];
  for (const [index, approval] of (journal.get('approvals') ?? []).entries()) {
    const name = `approval ${index + 1}`;
    const judged = await judge(approval, subject, { rule, persons }, at, ports.self.env);
    if ('problem' in judged) {
      problems.push(`${name} ${judged.problem}`);
      continue;
    }
    counted.push(judged);
    const person = persons.of(judged) ?? judged.key;
    const earlier = signed.get(person);
    if (earlier === undefined) signed.set(person, name);
    else
      problems.push(
        `${name} is by the same person as ${earlier} (${judged.principals.join(', ')})`,
      );
  }
  if (signed.size < rule.required) throw tooFew(header, rule, signed.size, problems);
  return counted;
}

export async function judge(
  approval: Approval,
  subject: ReturnType<typeof subjectOf>,
  { rule, persons }: { rule: ApprovalRule; persons: Persons },
  at: number,
  env: Env,
): Promise<Judged> {
  const { statement, signature } = approval;
  const difference = differenceOf(statement, subject);
  if (difference !== undefined) return { problem: difference };
  const { approved, expires } = validityOf(statement)!;
  if (approved > at + CLOCK_DIFFERENCE_MS) {
    return { problem: `is dated in the future: ${new Date(approved).toISOString()}` };
  }
  if (expires <= at) return { problem: `expired at ${new Date(expires).toISOString()}` };
  const checked = await check(statement, signature, env);
  if (!checked.isValid) return { problem: `has no valid signature: ${checked.problem}` };
  const { key } = checked;
  const approvers = rule.approvers!;
  const found = await principalsOf(signature, approvers, at, env);
  const [principal] = found.principals;
  if (principal === undefined) {
    return { problem: `has the key ${key}, which is not in ${approvers}: ${found.problem}` };
  }
  if (found.principals.some((one) => /[*?!]/.test(one))) {
    return {
      problem: `has the key ${key}, which ${approvers} lists for a pattern such as *, not for one person`,
    };
  }
  const refused = await verify(statement, signature, { principal, approvers, at }, env);
  if (refused !== undefined) return { problem: `is not valid for ${principal}: ${refused}` };
  const counted = { ...approval, principals: found.principals, key };
  const own = { principal: rule.signer!, approvers, at };
  const isOwn =
    persons.of(counted) === persons.named(rule.signer!) ||
    (await verify(statement, signature, own, env)) === undefined;
  return isOwn ? { problem: byImporter(rule) } : counted;
}

export function byImporter({ signer }: ApprovalRule): string {
  return `is by the signer ${signer}, who imports`;
}

/** Undefined if the environment demands no approvals. */
export function refuseUnstaged(
  rule: ApprovalRule,
  typed: readonly string[],
): ProcError | undefined {
  if (rule.required === 0) return undefined;
  return new ProcError('approval_required', `${demands(rule)}; nothing was sent`, {
    hint: `Stage the import: ${typedAgain(typed, ['--stage'])}. Then have it approved: proc imports approve RUN --key FILE`,
    details: { required: rule.required, place: rule.place },
  });
}

/** `acme/production demands 1 approval of each import` */
function demands({ place, required }: ApprovalRule): string {
  return `${place} demands ${required === 1 ? '1 approval' : `${required} approvals`} of each import`;
}

function notStaged(header: RunHeader, rule: ApprovalRule): ProcError {
  const { run } = header;
  return new ProcError(
    'approval_required',
    `${demands(rule)}, and ${run} was not staged; nothing was sent`,
    {
      hint: stageAgainHint(header),
      details: { run, required: rule.required, place: rule.place },
    },
  );
}

function tooFew(
  { run }: RunHeader,
  rule: ApprovalRule,
  counted: number,
  problems: readonly string[],
  wrong: readonly string[] = [],
): ProcError {
  const { required, place, signer, approvers, set } = rule;
  const why = problems.length === 0 ? '' : `: ${problems.join('; ')}`;
  const open = [
    ...wrong,
    ...(signer === undefined ? ['signer=PERSON'] : []),
    ...(approvers === undefined ? ['approvers=FILE'] : []),
  ];
  return new ProcError(
    'approval_required',
    `${demands(rule)}, but ${run} has ${counted === 0 ? 'none' : counted} that ${counted < 2 ? 'counts' : 'count'}${why}; nothing was sent`,
    {
      hint:
        open.length > 0
          ? `Correct the settings: ${set} ${open.join(' ')}`
          : `Let an approver run: proc imports approve ${inShell(run)} --key FILE`,
      details: { run, required, counted, place, problems },
    },
  );
}
