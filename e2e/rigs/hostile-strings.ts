/** What runs, or navigates, or breaks out, wherever text is taken for something else. `N` becomes a number. */
const templates = [
  '<script>globalThis.ran="N"</script>',
  '"><script>globalThis.ran="N"</script>',
  "'><img src=x onerror=globalThis.ran='N'>",
  '<img src=x onerror="globalThis.ran=\'N\'">',
  '<svg/onload=globalThis.ran="N">',
  '<svg><animate onbegin=globalThis.ran="N" attributeName=x dur=1s>',
  '<iframe srcdoc="<script>parent.ran=\'N\'</script>">',
  '<a href="javascript:globalThis.ran=\'N\'">click</a>',
  'javascript:globalThis.ran="N"',
  'data:text/html,<script>top.ran="N"</script>',
  '<meta http-equiv=refresh content="0;url=https://evil.example/N">',
  '<base href="https://evil.example/N/">',
  '<form action=https://evil.example/N><input autofocus onfocus=globalThis.ran="N">',
  '<details open ontoggle=globalThis.ran="N">',
  '<video><source onerror=globalThis.ran="N">',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=globalThis.ran="N">',
  '{{constructor.constructor("globalThis.ran=`N`")()}}',
  "\x24{globalThis.ran='N'}",
  '`;globalThis.ran="N";//',
  '</title><script>globalThis.ran="N"</script>',
  '</textarea><script>globalThis.ran="N"</script>',
  '</style><script>globalThis.ran="N"</script>',
  '--><script>globalThis.ran="N"</script>',
  ']]><script>globalThis.ran="N"</script>',
  '\u202e<script>globalThis.ran="N"</script>',
  '__proto__N',
  'constructorN',
  '../../../../etc/passwd%00N',
  '%3Cscript%3EglobalThis.ran="N"%3C/script%3E',
  '&lt;script&gt;globalThis.ran="N"&lt;/script&gt;',
  '\u001b]52;c;Z2xvYmFs\u0007\u001b[2J N',
  '\r\nSet-Cookie: a=N\r\n\r\n<script>globalThis.ran="N"</script>',
  '=HYPERLINK("https://evil.example/N")',
  `${'\u0300'.repeat(40)}N${'W'.repeat(300)}`,
  'https://evil.example/N?<script>globalThis.ran=1</script>',
]

/** The one with this number; a thousand numbers are a thousand different strings. */
export function hostileString(number: number): string {
  return (templates[number % templates.length] ?? '').replaceAll('N', String(number))
}
