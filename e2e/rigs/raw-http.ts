import net from 'node:net'

export type RawAddress = { host: string; port: number } | { path: string }

/** Sends bytes as they stand, reads until the other side closes or `enough` is there, and gives all that came. */
export function say(
  to: RawAddress,
  bytes: string | Buffer,
  enough: (text: string) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(to)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (enough(text)) {
        resolve(text)
        socket.destroy()
      }
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
    socket.write(bytes)
  })
}

/** A request as bytes. Its connection is to be closed after it, unless `headers` say something else. */
export function rawRequest(start: string, headers: readonly string[], body: string | Buffer = ''): Buffer {
  const close = headers.some((line) => /^connection:/i.test(line)) ? [] : ['Connection: close']
  const head = [start, ...close, ...headers, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)])
}

export const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])
export const codeOf = (text: string) => /"code":"([^"]+)"/.exec(text)?.[1]
