import type { Duplex } from 'node:stream'
import ssh2, { type Client } from 'ssh2'
import { Problem } from '../../../shared/errors.ts'
import type { Log } from '../../log.ts'
import type { Prompts } from '../prompts.ts'
import { checkHostKey, wantedHostKeys } from './host-key.ts'
import type { Identities } from './identities.ts'
import { PatientLimit } from './limit.ts'
import { Login } from './login.ts'
import type { SshHost } from './resolve-host.ts'

export interface SshDeps {
  prompts: Pick<Prompts, 'ask'>
  identities: Identities
  log: Log
}

/** Each step of a login, from greeting to welcome, may take this long; a person's own time does not count. */
const stepLimitMs = 15_000

/**
 * Logs in to one host over a stream that leads to its SSH port. Nothing of the person's is sent before the
 * host's key is trusted.
 * @param place Which host of how many it is, for messages; empty when there is only one.
 */
export async function logIn(host: SshHost, stream: Duplex, place: string, deps: SshDeps): Promise<Client> {
  const serverHostKey = (await wantedHostKeys(host)) as ssh2.ServerHostKeyAlgorithm[]
  const client = new ssh2.Client()
  const gone = new AbortController()
  const where = `${host.alias}${place}`
  return new Promise((resolve, reject) => {
    let step = 'say hello'
    let trusted: Buffer | undefined
    const limit = new PatientLimit(stepLimitMs, () => {
      fail(new Problem('unreachable', `${where} did not ${step} within ${stepLimitMs / 1000} s. ${silentHint}`))
    })
    const login: Login = new Login(host, {
      ...deps,
      waitingForPerson: limit.whileAsking,
      signal: gone.signal,
      giveUp: () => fail(login.problem()),
    })
    const fail = (problem: Problem) => {
      limit.end()
      gone.abort()
      client.destroy()
      stream.destroy()
      reject(problem)
    }
    const trust = async (key: Buffer) => {
      // Later key exchanges of the same connection must show the same key.
      if (trusted !== undefined) return trusted.equals(key)
      await limit.whileAsking(checkHostKey(host, key, deps, gone.signal))
      trusted = key
      step = 'answer the login'
      return true
    }
    client.on('error', (error: Error & { level?: string }) => {
      // A key that could not sign is not the end: the next one is tried.
      if (error.level === 'agent') return
      if (error.level === 'client-authentication') fail(login.problem())
      else fail(describe(error, where, trusted !== undefined))
    })
    client.once('close', () => {
      const lost = trusted === undefined ? 'closed the connection before it said who it is' : 'ended the login'
      fail(new Problem('unreachable', `${where} ${lost}. Its SSH server may be too busy, or refuse this address.`))
    })
    client.once('ready', () => {
      limit.end()
      resolve(client)
    })
    client.connect({
      sock: stream as never,
      username: host.user,
      readyTimeout: 0,
      keepaliveInterval: 0,
      strictVendor: false,
      // Ciphers are left to ssh2: AES-GCM first, and only those that this runtime has. Electron has no ChaCha20 for it.
      algorithms: { serverHostKey, compress: ['none'] },
      authHandler: (left: ssh2.AuthenticationType[] | null, partial: boolean | null, next: ssh2.NextAuthHandler) => {
        limit.restart()
        login.next(left, partial, next)
      },
      hostVerifier: (key: Buffer, verify: (trusted: boolean) => void) => {
        limit.restart()
        trust(Buffer.from(key)).then(verify, (error: unknown) => {
          fail(Problem.from(error, 'host-key-unknown'))
          verify(false)
        })
      },
    } as ssh2.ConnectConfig)
  })
}

const silentHint = 'Check the network and the address.'

function describe(error: Error & { level?: string; code?: string | number }, where: string, trusted: boolean): Problem {
  if (/no matching/i.test(error.message)) {
    return new Problem(
      'tunnel-setup',
      `${where} and the console have no way of encryption in common: ${error.message}.`,
    )
  }
  if (!trusted && error.level === 'protocol') {
    return new Problem('unreachable', `What answers at ${where} is not a usable SSH server: ${error.message}.`)
  }
  return new Problem('unreachable', `The SSH connection to ${where} failed: ${error.message}. ${silentHint}`)
}
