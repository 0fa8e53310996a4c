/**
 * Starts proc with the Node in the same folder. PATH may be empty, so readlink has an absolute
 * path.
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

/** Without the `goto` in the last line, cmd would ask after Ctrl-C whether to end the batch job. */
export const CMD_LAUNCHER = [
  '@echo off',
  'setlocal',
  'set "_proc=%~dp0"',
  'endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_proc%node.exe" "%_proc%bin\\proc.js" %*',
  '',
].join('\r\n');
