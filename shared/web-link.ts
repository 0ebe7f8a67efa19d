/** Whether an address is the web's, and leads where it seems to. */
export function isWebLink(text: string): boolean {
  // The parser would drop these, and what is opened would not be what was shown.
  if (/[\s\p{Cc}\p{Cf}\\]/u.test(text) || !URL.canParse(text)) return false
  const { protocol, username, password, hostname } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '' && hostname !== ''
}
