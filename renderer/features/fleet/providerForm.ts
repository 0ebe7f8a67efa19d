import type { AwsAccount, ProviderConfig } from '../../../shared/domain/power.ts'

/** What is typed about the kind of machine, before it is checked. */
export interface TypedProvider {
  instanceId: string
  region: string
  credentials: AwsAccount['credentials']['kind']
  /** The name of a profile, or of keys. */
  account: string
  endpoint: string
  mac: string
  broadcast: string
}

export const blankProvider: TypedProvider = {
  instanceId: '',
  region: 'us-east-1',
  credentials: 'default',
  account: '',
  endpoint: '',
  mac: '',
  broadcast: '',
}

export const credentialNames = {
  default: 'As this computer finds them',
  profile: 'A profile (single sign-on too)',
  keys: 'Keys in the keychain',
} as const satisfies Record<TypedProvider['credentials'], string>

export type ProviderMistakes = Partial<Record<keyof TypedProvider, string>>

/** What is wrong with it. An instance without an id is left out: it can be said later. */
export function checkProvider(kind: ProviderConfig['kind'], typed: TypedProvider): ProviderMistakes {
  const mistakes: ProviderMistakes = {}
  if (kind === 'ec2' && typed.instanceId.trim() !== '') {
    if (!/^i-[0-9a-f]{8,17}$/.test(typed.instanceId.trim())) mistakes.instanceId = 'As in i-0abc123def4567890.'
    Object.assign(mistakes, checkAccount(typed))
  }
  if (kind === 'macos') {
    if (typed.mac.trim() !== '' && !/^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i.test(typed.mac.trim()))
      mistakes.mac = 'Six pairs of hex digits.'
    if (typed.broadcast.trim() !== '' && !/^\d+(\.\d+){3}$/.test(typed.broadcast.trim()))
      mistakes.broadcast = 'An IPv4 address, such as 192.168.1.255.'
  }
  return mistakes
}

export function checkAccount(typed: TypedProvider): ProviderMistakes {
  const mistakes: ProviderMistakes = {}
  if (!/^[a-z]{2}(-[a-z]+)+-\d$/.test(typed.region.trim())) mistakes.region = 'As in eu-central-1.'
  if (typed.credentials !== 'default' && typed.account.trim() === '') mistakes.account = 'Which one?'
  if (typed.endpoint.trim() !== '' && !/^https?:\/\/\S+$/.test(typed.endpoint.trim()))
    mistakes.endpoint = 'An http or https address.'
  return mistakes
}

export function toAccount(typed: TypedProvider): AwsAccount {
  const [region, account, endpoint] = [typed.region.trim(), typed.account.trim(), typed.endpoint.trim()]
  const credentials: AwsAccount['credentials'] =
    typed.credentials === 'profile'
      ? { kind: 'profile', profile: account }
      : typed.credentials === 'keys'
        ? { kind: 'keys', name: account }
        : { kind: 'default' }
  return { region, credentials, ...(endpoint !== '' && { endpoint }) }
}

/** Undefined when nothing was said about that kind. */
export function toProvider(kind: ProviderConfig['kind'], typed: TypedProvider): ProviderConfig | undefined {
  if (kind === 'ec2') {
    const instanceId = typed.instanceId.trim()
    return instanceId === '' ? undefined : { kind, instanceId, account: toAccount(typed) }
  }
  if (kind === 'macos') {
    const [mac, broadcast] = [typed.mac.trim(), typed.broadcast.trim()]
    return { kind, ...(mac !== '' && { mac }), ...(broadcast !== '' && { broadcast }) }
  }
  return { kind }
}

export function fromProvider(provider: ProviderConfig | null): TypedProvider {
  if (provider?.kind === 'macos')
    return { ...blankProvider, mac: provider.mac ?? '', broadcast: provider.broadcast ?? '' }
  if (provider?.kind !== 'ec2') return blankProvider
  const { instanceId, account } = provider
  const { credentials, region, endpoint = '' } = account
  const name =
    credentials.kind === 'profile' ? credentials.profile : credentials.kind === 'keys' ? credentials.name : ''
  return { ...blankProvider, instanceId, region, endpoint, credentials: credentials.kind, account: name }
}
