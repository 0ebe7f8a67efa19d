import ssh2 from 'ssh2'

const magic = 'openssh-key-v1\0'

/** The public key in a key file: of a private one too, even if it is locked. */
export function publicPartOf(content: Buffer | undefined): Buffer | undefined {
  if (content === undefined) return undefined
  const parsed = ssh2.utils.parseKey(content)
  if (!(parsed instanceof Error)) return [parsed].flat()[0]?.getPublicSSH()
  return publicPartOfLocked(content.toString('latin1'))
}

/** OpenSSH's own format keeps the public key in front of what is encrypted. */
function publicPartOfLocked(text: string): Buffer | undefined {
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]+?)-----END/.exec(text)?.[1]
  if (body === undefined) return undefined
  const data = Buffer.from(body, 'base64')
  if (data.toString('latin1', 0, magic.length) !== magic) return undefined
  try {
    let at = magic.length
    const next = () => {
      const length = data.readUInt32BE(at)
      at += 4 + length
      return data.subarray(at - length, at)
    }
    // Cipher, key derivation and its options come first, then how many keys there are.
    for (let part = 0; part < 3; part++) next()
    at += 4
    const key = next()
    return at <= data.length && key.length > 0 ? Buffer.from(key) : undefined
  } catch {
    return undefined
  }
}
