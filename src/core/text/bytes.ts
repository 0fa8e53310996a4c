/** Bytes as JSON can hold them: text if they are UTF-8, otherwise `{"base64": "…"}`. */
export function textOrBase64(bytes: Uint8Array): string | { readonly base64: string } {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { base64: Buffer.from(bytes).toString('base64') };
  }
}
