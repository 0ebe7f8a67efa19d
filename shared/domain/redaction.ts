/** What must not be seen outside the machine, by the name of its key. */
const sensitiveEnv = /SECRET|PASSWORD|KEY|TOKEN|CREDENTIAL|PRIVATE|^SUPABASE|^DATABASE_URL$|^REDIS_URL$/i
/** Names that stand in calls and headers. `current` and `next` are the two secrets of a rotation. */
const sensitiveElsewhere = /PASSPHRASE|AUTHORIZATION|COOKIE|LEASEID|^CURRENT$|^NEXT$/i
const harmless = /^(idempotencyKey|publicKey|keyCode|sshKeyName|updatedKeys|removedKeys|duplicateKeys|redactedKeys)$/
/** Whole sets of environment variables: which ones is worth knowing, their values are nobody's business. */
const variableSets = /^(vars|envOverrides)$/
/** What a browser is sent to: a link that logs someone in has its secret in it. */
const isAddress = /^url$|Url$/

/** Whether the value of an environment variable stays on its machine. */
export function isSensitiveEnvKey(key: string): boolean {
  return sensitiveEnv.test(key)
}

export function isSensitiveKey(key: string): boolean {
  return (sensitiveEnv.test(key) || sensitiveElsewhere.test(key)) && !harmless.test(key)
}

/** A copy for logs and the audit: sensitive values gone, addresses without credentials, texts cut. */
export function redact(value: unknown, key = '', depth = 0): unknown {
  // Whether there is a new secret is worth knowing, and says nothing of it.
  if (typeof value === 'boolean') return value
  if (key !== '' && isSensitiveKey(key)) return '***'
  if (typeof value === 'string' && isAddress.test(key)) return redactAddress(value)
  if (typeof value === 'string') return redactText(key === 'command' ? redactCommand(value) : value)
  if (depth > 6) return '…'
  if (Array.isArray(value)) return value.slice(0, 50).map((item) => redact(item, '', depth + 1))
  if (typeof value === 'object' && value !== null) {
    if (variableSets.test(key)) return Object.fromEntries(Object.keys(value).map((name) => [name, '***']))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redact(item, name, depth + 1)]))
  }
  return value
}

function redactText(text: string, maxLength = 500): string {
  return cut(text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^/\s@]+@/gi, '$1***@'), maxLength)
}

/** Why something failed, for the audit: it may repeat what a program said, and that may be long. */
export function redactFailure(message: string): string {
  return redactText(redactCommand(message), 4000)
}

/** A command line without the passwords that people type into one, as far as they can be told. */
export function redactCommand(command: string): string {
  const value = `('[^']*'|"[^"]*"|[^\\s'"]+)`
  const hide = (whole: string, name: string, between: string) => (isSensitiveKey(name) ? `${name}${between}***` : whole)
  return (
    command
      .replace(/\b(Bearer|Basic)\s+[^\s'"]+/gi, '$1 ***')
      .replace(/((?:^|\s)(?:-u|--user)[ =]['"]?[^\s:'"]+:)[^\s'"]+/g, '$1***')
      .replace(/((?:^|\s)sshpass\s+-p ?)(?:'[^']*'|"[^"]*"|\S+)/g, '$1***')
      .replace(new RegExp(`([A-Za-z_][\\w.-]*)(=|:\\s*)${value}`, 'g'), hide)
      // Without "=" only an option takes the next word: "grep token file" does not.
      .replace(new RegExp(`(--?[A-Za-z][\\w-]*)(\\s+)(?!-)${value}`, 'g'), hide)
  )
}

/** Parameters of addresses that are as good as a password, beyond the names that are elsewhere. */
const sensitiveQuery = /^(code|sig|signature|auth|session|sid|jwt|state|nonce|otp|ticket|x-amz-.*|hmac|hash)$/i
/** What looks like a secret whatever stands before it: JSON web tokens, known prefixes, long mixed runs. */
const secretLooking =
  /\beyJ[\w-]{8,}(?:\.[\w-]+){0,2}|\b(?:sk|pk|rk|ghp|gho|ghs|xox[abprs]|AKIA|ASIA|glpat|npm)[-_]?[A-Za-z0-9_-]{16,}|\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{40,}/g

/** An address that a page asked for: whom and what, without what would let someone in. */
export function redactAddress(address: string, maxLength = 500): string {
  const [, before = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(address) ?? []
  const hide = (part: string) =>
    part.replace(/([?&#;])([^=&#;]+)=([^&#;]*)/g, (whole, sign: string, name: string) =>
      isSensitiveKey(name) || sensitiveQuery.test(name) ? `${sign}${name}=***` : whole,
    )
  const plain = before.startsWith('data:') ? 'data:…' : before
  return cut(redactText(plain.replace(secretLooking, '***') + hide(query) + hide(fragment)), maxLength)
}

/** What a page wrote: addresses and anything named or shaped like a secret made harmless, and cut. */
export function redactPageText(text: string, maxLength = 500): string {
  // Cut first: a page decides how long it is, and patterns take their time.
  const addressed = cut(text, maxLength * 2).replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s'"<>)]+/gi, (address) =>
    redactAddress(address),
  )
  const named = addressed.replace(
    /(["'])([\w.-]+)\1(\s*:\s*)("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s,}\]]+)/g,
    (whole, quote: string, name: string, between: string) =>
      isSensitiveKey(name) ? `${quote}${name}${quote}${between}***` : whole,
  )
  return cut(redactCommand(named).replace(secretLooking, '***'), maxLength)
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}
