import { Problem } from '../../../shared/errors.ts'
import type { Log } from '../../log.ts'
import type { Prompts } from '../prompts.ts'
import { fingerprint, keyTypeName } from './fingerprint.ts'
import { appendKnownHost, judgeKey, keyType, knownTypes, lookupName, readKnownHosts } from './known-hosts.ts'
import type { SshHost } from './resolve-host.ts'

/** Signatures that a host may make with each type of key; the ones by SHA-1 are not asked for. */
const signatures: Record<string, string[]> = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'],
}

/** What to ask a host for: first the types it is known by, so that a known one never looks like a new one. */
export async function wantedHostKeys(host: SshHost): Promise<string[]> {
  const entries = await readKnownHosts(host.knownHostsFiles)
  const known = knownTypes(entries, host.keyName, host.port)
  const types = [...new Set([...known.filter((type) => type in signatures), ...Object.keys(signatures)])]
  return types.flatMap((type) => signatures[type] ?? [])
}

/**
 * Returns when the key may be trusted, and throws before any credential is sent when it may not. A key that has
 * changed is refused: the only way on is to mend the file, outside the console, after finding out why.
 */
export async function checkHostKey(
  host: SshHost,
  key: Buffer,
  { prompts, log }: { prompts: Pick<Prompts, 'ask'>; log: Log },
  signal: AbortSignal,
): Promise<void> {
  const found = judgeKey(await readKnownHosts(host.knownHostsFiles), host.keyName, host.port, key)
  const shown = { type: keyTypeName(keyType(key)), print: fingerprint(key) }
  const name = lookupName(host.keyName, host.port)
  switch (found.verdict) {
    case 'known':
      return
    case 'revoked':
      throw new Problem(
        'host-key-changed',
        `${name} shows a key that was revoked (${found.file}, line ${found.line}). Nothing was sent to it.`,
        shown,
      )
    case 'changed':
      throw new Problem(
        'host-key-changed',
        `${name} shows another ${shown.type} key than before: ${shown.print}. Someone may be in between, or the machine was set up anew. Nothing was sent to it. Find out which; only then remove line ${found.line} of ${found.file}.`,
        shown,
      )
    case 'unknown':
      await askAboutKey(host, key, found.authority, prompts, signal)
  }
  const [file] = host.knownHostsFiles
  if (file === undefined) return
  await appendKnownHost(file, name, key, host.hashKnownHosts).catch((error: unknown) => {
    log('warn', 'an accepted host key could not be kept', { file, error: String(error) })
  })
}

async function askAboutKey(
  host: SshHost,
  key: Buffer,
  authority: boolean,
  prompts: Pick<Prompts, 'ask'>,
  signal: AbortSignal,
): Promise<void> {
  const name = lookupName(host.keyName, host.port)
  if (host.strictHostKeys === 'accept-new') return
  const print = fingerprint(key)
  if (host.strictHostKeys === 'yes') {
    throw new Problem(
      'host-key-unknown',
      `${name} is not in known_hosts, and StrictHostKeyChecking is yes. Add its key (${print}) first.`,
    )
  }
  const says = await prompts.ask(
    `host-key ${name} ${print}`,
    {
      kind: 'host-key',
      title: `Is this ${host.alias}?`,
      host: host.alias === host.host ? name : `${host.alias} (${name})`,
      keyType: keyTypeName(keyType(key)),
      fingerprint: print,
      note: authority ? 'Its certificate authority is trusted, but the console cannot check certificates.' : null,
    },
    signal,
  )
  if (says.kind !== 'accepted') {
    throw new Problem('host-key-unknown', `The host key of ${name} was not accepted. Check it again to be asked anew.`)
  }
}
