const headerBytes = 8

/**
 * The text of a container's log as Docker gives it: frames with a header where the container has no terminal,
 * plain bytes where it has one. Control characters go, so that a line cannot paint over the reader's screen.
 */
export function logText(bytes: Buffer): string[] {
  const text = framed(bytes) ?? bytes.toString('utf8')
  return (
    text
      .split(/\r?\n/)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
      .map((line) => line.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, ''))
      .filter((line) => line.trim() !== '')
  )
}

function framed(bytes: Buffer): string | undefined {
  const parts: Buffer[] = []
  let at = 0
  while (at < bytes.length) {
    const header = bytes.subarray(at, at + headerBytes)
    const kind = header[0]
    if (header.length < headerBytes || kind === undefined || kind > 2 || header.readUIntBE(1, 3) !== 0) return undefined
    const size = header.readUInt32BE(4)
    parts.push(bytes.subarray(at + headerBytes, at + headerBytes + size))
    at += headerBytes + size
  }
  return Buffer.concat(parts).toString('utf8')
}
