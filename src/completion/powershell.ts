import { argsByOffer, type Model, valuesByOffer, type Word } from './model.ts';

/** The completion script for PowerShell, with descriptions as tool tips. */
export function powershellScript(model: Model): string {
  const children = model.paths
    .filter((one) => one.children.length > 0)
    .map(({ path, children: words }) => `    ${quoted(path)} = ${table(words)}`);
  const flags = model.paths
    .filter((one) => one.flags.length > 0)
    .map(({ path, flags: own }) => `    ${quoted(path)} = ${table(flagWords(own))}`);
  return `# PowerShell completion for proc. Made from its commands by "npm run docs"; do not edit.
# Install: add to your profile:  proc completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName proc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)

  $children = @{
${children.join('\n')}
  }
  $names = @{
${Object.entries(model.aliases)
  .map(([alias, name]) => `    ${quoted(alias)} = ${quoted(name)}`)
  .join('\n')}
  }
  $flags = @{
${flags.join('\n')}
  }
  $globals = ${table(flagWords(model.globals))}
  # What flags take, and what arguments may be; "+" stands for one that may be repeated.
  # -CaseSensitive matters: -f and -F are two flags.
  $values = New-Object System.Collections.Hashtable ([StringComparer]::Ordinal)
${placed('values', valuesByOffer(model))}
  $arguments = New-Object System.Collections.Hashtable ([StringComparer]::Ordinal)
${placed('arguments', argsByOffer(model))}
  $topics = ${table(model.topics)}

  function ValueOf($base, $flag) {
    if ($values.ContainsKey("$base $flag")) { return $values["$base $flag"] }
    return $values["* $flag"]
  }

  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
      Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { "$_".Trim('"', "'") })
  if ($wordToComplete -ne '' -and $words.Count -gt 0) { $words = @($words | Select-Object -SkipLast 1) }
  $cur = $wordToComplete.Trim('"', "'")
  $path = ''; $about = ''; $skip = ''; $ended = $false; $positional = 0; $prefix = ''; $offer = ''
  foreach ($word in $words) {
    $base = if ($about) { $about } else { $path }
    if ($skip) { $skip = '' }
    elseif (-not $ended -and $word -eq '--') { $ended = $true }
    elseif (-not $ended -and $word.StartsWith('-')) {
      if (-not $word.Contains('=') -and (ValueOf $base $word)) { $skip = $word }
    }
    elseif (-not $path -and -not $about -and $word -eq 'help') { $about = $word }
    else {
      if ($path -in @('', 'schema') -and $names.ContainsKey($word)) { $word = $names[$word] }
      if ($positional -eq 0 -and $children.ContainsKey($path) -and $children[$path].Contains($word)) {
        $path = "$path $word".Trim()
      } else { $positional++ }
    }
  }
  $base = if ($about) { $about } else { $path }
  $found = @()
  if ($skip) { $offer = ValueOf $base $skip }
  elseif (-not $ended -and $cur -match '^(--[^=]+=)(.*)$') {
    $prefix = $Matches[1]; $cur = $Matches[2]
    $offer = ValueOf $base $prefix.TrimEnd('=')
  }
  elseif (-not $ended -and $cur.StartsWith('-')) {
    if ($flags.ContainsKey($base)) { $found += $flags[$base].GetEnumerator() }
    $found += $globals.GetEnumerator()
  }
  elseif ($positional -eq 0 -and $children.ContainsKey($path)) {
    $found += $children[$path].GetEnumerator()
    if ($about -eq 'help' -and -not $path) { $found += $topics.GetEnumerator() }
  }
  elseif (-not $about) {
    $offer = $arguments["$path $positional"]
    if (-not $offer) { $offer = $arguments["$path +"] }
  }
  if ("$offer".StartsWith('=')) {
    $found = $offer.Substring(1).Split(' ') | ForEach-Object { [pscustomobject]@{ Key = $_; Value = $_ } }
  }
  elseif ("$offer".StartsWith('@')) {
    $found = & proc __complete $offer.Substring(1).Replace('+file', '') -- @words $cur 2>$null | ForEach-Object {
      $key, $doc = $_ -split "\`t", 2
      [pscustomobject]@{ Key = $key; Value = if ($doc) { $doc } else { $key } }
    }
  }
  # Where a file is meant, PowerShell offers files by itself.
  $found | Where-Object { $_.Key.StartsWith($cur) } | ForEach-Object {
    $text = $prefix + $_.Key
    # PowerShell takes four more characters for a single quote.
    if ($text -match '^[^\\w/-]|[^\\w+=:./-]') {
      $text = "'" + [regex]::Replace($text, "['\\u2018-\\u201B]", '$0$0') + "'"
    }
    [System.Management.Automation.CompletionResult]::new($text, $_.Key, 'ParameterValue', $_.Value)
  }
}
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function flagWords(flags: Model['globals']): readonly Word[] {
  return flags.map(({ names, doc }) => ({ name: names[0]!, doc }));
}

function table(words: readonly Word[]): string {
  return `[ordered]@{ ${words.map(({ name, doc }) => `${quoted(name)} = ${quoted(doc)}`).join('; ')} }`;
}

function placed(
  variable: string,
  groups: ReadonlyArray<readonly [string, readonly string[]]>,
): string {
  return groups
    .map(
      ([offer, places]) =>
        `  foreach ($one in @(${places.map(quoted).join(', ')})) { $${variable}[$one] = ${quoted(offer)} }`,
    )
    .join('\n');
}
