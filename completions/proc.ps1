# PowerShell completion for proc. At each Tab it asks proc what can follow.
# Use: proc completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName proc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)

  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
      Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { "$_".Trim('"', "'") })
  if ($wordToComplete -ne '' -and $words.Count -gt 0) { $words = @($words | Select-Object -SkipLast 1) }
  $cur = $wordToComplete.Trim('"', "'")
  # The "=" keeps an empty word from being dropped; if nothing is offered, PowerShell offers files.
  & proc __complete powershell @words "=$cur" 2>$null | ForEach-Object {
    $text, $doc = $_ -split "`t", 2
    if (-not $doc) { $doc = $text }
    [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $doc)
  }
}
