import { runHere } from './in-process.ts';

interface CheckRow {
  readonly check: string;
  readonly status: string;
  readonly finding: string;
  readonly hint: string | null;
  readonly exitCode: number | null;
}

export interface Examined {
  readonly exitCode: number;
  readonly stderr: string;
  readonly checks: readonly CheckRow[];
  /** The names of list parameters that doctor reports: `orders limit` → `pageSize`. */
  readonly claims: Readonly<Record<string, string>>;
  at(check: string): CheckRow;
}

export async function examine(
  env: Readonly<Record<string, string | undefined>>,
  ...flags: readonly string[]
): Promise<Examined> {
  const { exitCode, stdout, stderr } = await runHere(['doctor', '-o', 'json', ...flags], env);
  const checks = JSON.parse(stdout) as readonly CheckRow[];
  const claims = checks.flatMap(({ check, status, finding }) => {
    if (!/^(?:orders|items) /.test(check) || status !== 'ok') return [];
    const page = /first of which is (\d)/.exec(finding)?.[1];
    const name = finding.slice(0, finding.indexOf(': '));
    return [[check, page === undefined ? name : `${name} from ${page}`] as const];
  });
  return {
    exitCode,
    stderr,
    checks,
    claims: Object.fromEntries(claims),
    at(check) {
      const found = checks.find((one) => one.check === check);
      if (found === undefined) throw new Error(`no check "${check}" in ${stdout}`);
      return found;
    },
  };
}
