/**
 * Starts proc with the Node beside it. Calls no other program, because PATH may be empty, except to follow a
 * link to itself.
 */
export const SH_LAUNCHER = `#!/bin/sh
self=$0
while [ -L "$self" ]; do
  if [ -x /usr/bin/readlink ]; then link=$(/usr/bin/readlink "$self"); else link=$(/bin/readlink "$self"); fi
  case $link in
    /*) self=$link ;;
    *) self=\${self%/*}/$link ;;
  esac
done
exec "\${self%/*}/node" "\${self%/*}/bin/proc.js" "$@"
`;

/** The same for Windows. Without the last line's jump, cmd would ask whether to end the batch job after Ctrl-C. */
export const CMD_LAUNCHER = [
  '@echo off',
  'setlocal',
  'set "_proc=%~dp0"',
  'endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_proc%node.exe" "%_proc%bin\\proc.js" %*',
  '',
].join('\r\n');
