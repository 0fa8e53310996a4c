/** The progress and the summary of an import. Errors and data stay English. */
const en = {
  progress: {
    rate: (perSecond: number) => `${perSecond} rows/s`,
    /** `time` is a duration such as `2 min 5 s`. */
    left: (time: string) => `${time} left`,
    concurrent: (n: number) => `${n} concurrent`,
    waiting: (time: string, why: string) => `waiting ${time}: ${why}`,
    unconfirmedWait: 'some rows are not confirmed yet',
    counts: ({ existing, rejected, unconfirmed }: ShownCounts) =>
      `${existing} existing, ${rejected} rejected, ${unconfirmed} unconfirmed`,
    verifying: 'Reading the list again to verify the created rows',
  },
  headers: {
    run: 'run',
    rows: 'rows',
    created: 'created',
    existing: 'existing',
    duplicates: 'duplicates',
    dropped: 'dropped',
    rejected: 'rejected',
    unknown: 'unconfirmed',
    pending: 'pending',
  },
};

interface ShownCounts {
  readonly existing: number;
  readonly rejected: number;
  readonly unconfirmed: number;
}

export type ImportRunMessages = typeof en;
export type ProgressMessages = ImportRunMessages['progress'];

const es: ImportRunMessages = {
  progress: {
    rate: (perSecond) => `${perSecond} filas/s`,
    left: (time) => `faltan ${time}`,
    concurrent: (n) => (n === 1 ? '1 simultánea' : `${n} simultáneas`),
    waiting: (time, why) => `esperando ${time}: ${why}`,
    unconfirmedWait: 'algunas filas aún no están confirmadas',
    counts: ({ existing, rejected, unconfirmed }) =>
      `${existing} existentes, ${rejected} rechazadas, ${unconfirmed} sin confirmar`,
    verifying: 'Leyendo de nuevo la lista para verificar las filas creadas',
  },
  headers: {
    run: 'importación',
    rows: 'filas',
    created: 'creadas',
    existing: 'existentes',
    duplicates: 'duplicadas',
    dropped: 'abandonadas',
    rejected: 'rechazadas',
    unknown: 'sin confirmar',
    pending: 'pendientes',
  },
};

export const importRunMessages: Readonly<Record<'en' | 'es', ImportRunMessages>> = { en, es };
