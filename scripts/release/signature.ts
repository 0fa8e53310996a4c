/**
 * The name of the signer in a Node binary; undefined if the binary has none. Binaries for Linux never have one.
 * Does not verify the signature: only the system that runs the binary can do that.
 */
export function officialSignature(node: Buffer, platform: string): string | undefined {
  if (platform.startsWith('linux')) return 'none (as published)';
  if (platform.startsWith('windows')) {
    // The certificate table is the fifth data directory of a PE file.
    const optional = node.readUInt32LE(0x3c) + 24;
    const directories = optional + (node.readUInt16LE(optional) === 0x20b ? 112 : 96);
    const at = node.readUInt32LE(directories + 4 * 8);
    const length = node.readUInt32LE(directories + 4 * 8 + 4);
    const isOwn = node.subarray(at, at + length).includes('OpenJS Foundation');
    return length > 0 && isOwn ? 'OpenJS Foundation' : undefined;
  }
  const team = 'Developer ID Application: Node.js Foundation';
  return node.includes(team) ? 'Node.js Foundation' : undefined;
}
