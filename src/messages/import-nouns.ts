/** The nouns of imports in Spanish. In English, messages use the noun of the command. */
const SPANISH: Readonly<Record<string, string>> = {
  item: 'artículo',
  items: 'artículos',
  imputation: 'imputación',
  imputations: 'imputaciones',
  requisition: 'requisición',
  requisitions: 'requisiciones',
};

export function inSpanish(noun: string): string {
  return SPANISH[noun] ?? noun;
}

/** Whether the Spanish word for a noun is feminine: *imputaciones*, *requisiciones*. */
export function isFeminine(noun: string): boolean {
  return /ci(ón|ones)$/.test(inSpanish(noun));
}
