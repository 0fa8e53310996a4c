/** Questions of approvals. Errors and data stay English; questions follow `--lang`. */
const en = {
  signs: 'Your key will sign:',
  approve: (run: string) => `Approve ${run}?`,
};

const es: typeof en = {
  signs: 'Su clave firmará:',
  approve: (run) => `¿Aprobar la importación ${run}?`,
};

export const importApprovalMessages: Readonly<Record<'en' | 'es', typeof en>> = { en, es };
