/** The parts of `src` where a mistake can lose or double a record: folders and files. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  phases: ['src/import/phases.ts', 'src/import/with-run.ts'],
  answers: [
    'src/core/service/code-change.ts',
    'src/core/service/outcome.ts',
    'src/core/service/same-value.ts',
    'src/client/response/compare-answer.ts',
    'src/client/response/judge.ts',
  ],
  ledger: [
    'src/import/store/',
    'src/import/import-lock.ts',
    'src/import/record-run.ts',
    'src/import/workplace.ts',
    'src/ledger/',
  ],
  plan: ['src/import/plan/'],
  reconcile: ['src/import/reconcile/'],
  send: ['src/import/send/', 'src/import/send-rows.ts'],
};

/** @param path ends with the path of a file from the root of the repository */
export function roomOf(path: string): string | undefined {
  const [found] =
    Object.entries(ROOMS).find(([, parts]) => parts.some((part) => path.includes(`/${part}`))) ??
    [];
  return found;
}
