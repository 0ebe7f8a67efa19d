import type { AwsAccount } from '../../shared/domain/power.ts'
import { Problem } from '../../shared/errors.ts'

const throttled = new Set(['RequestLimitExceeded', 'Throttling', 'ThrottlingException', 'TooManyRequestsException'])
const refusedKeys = new Set([
  ...['AuthFailure', 'InvalidClientTokenId', 'SignatureDoesNotMatch', 'UnrecognizedClientException'],
  ...['ExpiredToken', 'ExpiredTokenException', 'RequestExpired', 'InvalidAccessKeyId'],
])
const noPermission = new Set(['UnauthorizedOperation', 'AccessDenied', 'AccessDeniedException'])
const gone = new Set(['InvalidInstanceID.NotFound', 'InvalidInstanceID.Malformed'])
const noRoom = new Set(['InsufficientInstanceCapacity', 'InstanceLimitExceeded', 'VcpuLimitExceeded'])
const network = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
])

/** What AWS meant, and what can be done about it. Each carries `link: 'aws'`: the agent may still be well. */
export function ec2Problem(error: unknown, doing: string, account: AwsAccount): Problem {
  if (error instanceof Problem) return error
  const name = nameOf(error)
  const message = sentence((error instanceof Error ? error.message : String(error)).slice(0, 500))
  const make = (code: ConstructorParameters<typeof Problem>[0], detail: string) =>
    new Problem(code, detail, { link: 'aws', awsCode: name }, { cause: error })
  if (throttled.has(name)) {
    return make(
      'too-many-requests',
      `AWS is asked too often just now (${doing}). It is tried again by itself; wait a moment.`,
    )
  }
  if (noPermission.has(name)) {
    return make(
      'forbidden',
      `AWS does not let ${who(account)} ${doing}. Allow ec2:${doing} for it, or choose other credentials.`,
    )
  }
  if (gone.has(name)) return make('not-found', `EC2 no longer knows this instance in ${account.region}. ${message}`)
  if (refusedKeys.has(name)) {
    return make('unauthorized', `AWS refuses ${who(account)} (${name}). ${renew(account)}`)
  }
  if (name === 'CredentialsProviderError' || name === 'TokenProviderError') {
    return make('unauthorized', `There are no usable credentials from ${who(account)}: ${message} ${renew(account)}`)
  }
  if (name === 'IncorrectInstanceState' || name === 'IncorrectState') {
    return make('conflict', `EC2 cannot ${doing} now: ${message} Wait until it has settled, then try again.`)
  }
  if (noRoom.has(name)) {
    return make(
      'conflict',
      `EC2 has no room for this instance just now (${name}). Try again later, or change its type.`,
    )
  }
  if (name === 'TimeoutError' || name === 'AbortError' || name === 'ETIMEDOUT') {
    return make('timeout', `AWS did not answer in time (${doing}). Check the network of this computer, then try again.`)
  }
  if (network.has(name)) {
    return make(
      'unreachable',
      `AWS in ${account.region} cannot be reached (${name}). Check the network${account.endpoint === undefined ? '' : ' and the endpoint'}.`,
    )
  }
  return make(
    'bad-answer',
    `AWS gave an answer that makes no sense to ${doing}: ${message} Check the endpoint, or try again.`,
  )
}

/** Amazon's own words end as they like; another sentence follows. */
function sentence(text: string): string {
  return /[.!?:]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { code, Code } = error as { code?: unknown; Code?: unknown }
  const names = [error.name, code, Code].filter((value): value is string => typeof value === 'string')
  const known = [throttled, noPermission, gone, refusedKeys, noRoom, network]
  return names.find((name) => known.some((set) => set.has(name))) ?? names.find((name) => name !== 'Error') ?? 'Error'
}

function who({ credentials }: AwsAccount): string {
  switch (credentials.kind) {
    case 'profile':
      return `the profile ${credentials.profile}`
    case 'keys':
      return `the keys ${credentials.name}`
    case 'default':
      return 'the default credentials of this computer'
  }
}

function renew({ credentials }: AwsAccount): string {
  switch (credentials.kind) {
    case 'profile':
      return `Sign in again, for single sign-on with "aws sso login --profile ${credentials.profile}".`
    case 'keys':
      return 'Enter the keys again in Settings.'
    case 'default':
      return 'Choose a profile, or enter keys in Settings.'
  }
}
