/** Makes equivalent names equal: `Código`, `CODIGO` and `codigo.` all become `codigo`. */
export function normalise(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
